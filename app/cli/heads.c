#include "app/cli/heads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool heads_check_site(const char *site, Error *error) {
    Site known;
    return !site || site_parse(site, &known) ||
           error_usage(error, "--site %s: it takes encoder, decoder or cross", site);
}

static bool choose_by_place(HeadChoice *choice, const Trace *trace, const HeadRequest *request,
                            Error *error) {
    SceneChoice left = {.one_layer = request->layer >= 0,
                        .one_head = request->head >= 0,
                        .layer = request->layer,
                        .head = request->head};
    if (!heads_check_site(request->site, error)) return false;
    for (int site = 0; site < SITE_COUNT; site++)
        left.site_left_out[site] =
            request->site && strcmp(request->site, site_name((Site)site)) != 0;
    choice->panels = scene_choose(trace, &left, &choice->count, error);
    return choice->panels != NULL;
}

/* Names panels (a) to (z), then (27) and so on. */
static void name_panel(char *name, size_t size, int index, const char *head) {
    if (index < 26)
        snprintf(name, size, "(%c) %s", 'a' + index, head);
    else
        snprintf(name, size, "(%d) %s", index + 1, head);
}

/* Checked before anything is written, so that pictures and data files report the same error. */
static bool check_head(const Trace *trace, HeadId id, const char *head, Error *error) {
    TraceShape shape = trace_shape(trace, id.site);
    return (id.layer < shape.layers && id.head < shape.heads) ||
           error_usage(error,
                       "--heads: the model has no %s; %s has %d layers and %d heads, "
                       "both counted from 0",
                       head, site_name(id.site), shape.layers, shape.heads);
}

static bool add_listed(HeadChoice *choice, const Trace *trace, const char *word, size_t length,
                       Error *error) {
    char head[32];
    snprintf(head, sizeof head, "%.*s", (int)(length < 31 ? length : 31), word);
    ScenePanel *panel = &choice->panels[choice->count];
    if (!head_id_parse(head, &panel->id))
        return error_usage(
            error, "--heads: \"%s\" is no head; write site.layer.head, as in cross.1.2", head);
    if (!check_head(trace, panel->id, head, error)) return false;
    for (int i = 0; i < choice->count; i++)
        if (head_id_same(choice->panels[i].id, panel->id))
            return error_usage(error, "--heads: %s is named twice", head);
    name_panel(choice->names[choice->count], sizeof choice->names[0], choice->count, head);
    panel->name = choice->names[choice->count++];
    return true;
}

static bool choose_by_list(HeadChoice *choice, const Trace *trace, const char *list, Error *error) {
    size_t max = 1;
    for (const char *c = list; *c; c++)
        max += *c == ',';
    choice->listed = true;
    choice->panels = calloc(max, sizeof *choice->panels);
    choice->names = calloc(max, sizeof *choice->names);
    if (!choice->panels || !choice->names) return error_set(error, "out of memory");
    for (const char *word = list;; word++) {
        size_t length = strcspn(word, ",");
        if (!add_listed(choice, trace, word, length, error)) return false;
        word += length;
        if (*word == '\0') return true;
    }
}

bool heads_choose(HeadChoice *choice, const Trace *trace, const HeadRequest *request,
                  Error *error) {
    *choice = (HeadChoice){0};
    if (request->list && (request->site || request->layer >= 0 || request->head >= 0))
        return error_usage(error, "--heads names heads one by one: leave out --site, --layer and "
                                  "--head");
    return request->list ? choose_by_list(choice, trace, request->list, error)
                         : choose_by_place(choice, trace, request, error);
}

void head_choice_free(HeadChoice *choice) {
    free(choice->panels);
    free(choice->names);
    *choice = (HeadChoice){0};
}
