#include "app/window/opening.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/places.h"
#include "app/pass/head_study.h"
#include "app/session/verbs.h"
#include "app/window/saved_state.h"

enum { STUDIED = 16, SIDE_MAX = 16384 };

bool opening_size(const char *text, FrameSize *size, Error *error) {
    int width, height, end = 0;
    if (sscanf(text, "%5dx%5d%n", &width, &height, &end) == 2 && !text[end] && width > 0 &&
        height > 0 && width <= SIDE_MAX && height <= SIDE_MAX) {
        size->width = width;
        size->height = height;
        return true;
    }
    return error_usage(error, "--size %s: it takes WIDTHxHEIGHT, as in 1600x1000", text);
}

/* --- what to open ----------------------------------------------------------------------------- */

static bool open_model(Opening *opening, const char *path, Error *error) {
    Model model;
    if (!model_open(&model, path, error)) return false;
    opening->session = session_make(&model, path, error);
    opening->first = true;
    return opening->session != NULL;
}

static bool open_saved(Opening *opening, const SavedState *saved, const char *picture, bool force,
                       Error *error) {
    Model model;
    char *path;
    if (!saved_state_open_model(saved, picture, force, &model, &path, error)) return false;
    opening->session = session_make(&model, path, error);
    free(path);
    if (!opening->session) return false;
    /* The last state is the person's own. */
    bool restored = picture ? session_restore_picture(opening->session, saved->actions, error)
                            : session_restore(opening->session, saved->actions, error);
    if (!restored) {
        session_free(opening->session);
        opening->session = NULL;
        return false;
    }
    opening->size = (FrameSize){saved->width, saved->height, saved->scale};
    return true;
}

static bool open_picture(Opening *opening, const OpeningRequest *request, Error *error) {
    SavedState saved;
    if (!saved_state_read_picture(&saved, request->file, error)) return false;
    bool good = open_saved(opening, &saved, request->file, request->force, error) ||
                error_prefix(error, "%s", request->file);
    saved_state_free(&saved);
    return good;
}

/* What was on show last, if that is still there: what fails here is no failure, but is told. */
static bool open_last(Opening *opening, const OpeningRequest *request) {
    SavedState saved;
    Error error;
    if (!request->last_path || access(request->last_path, F_OK) != 0) return false;
    bool read = saved_state_read_file(&saved, request->last_path, &error);
    opening->last = read && open_saved(opening, &saved, NULL, false, &error);
    if (read) saved_state_free(&saved);
    opening->lost = !opening->last;
    if (opening->lost)
        snprintf(opening->note, sizeof opening->note,
                 "the last state cannot be shown: %s; it stays in %.80s.old", error.text,
                 request->last_path);
    return opening->last;
}

static bool open_last_model(Opening *opening, const OpeningRequest *request) {
    Error error;
    if (!request->last) return false;
    if (open_model(opening, request->last, &error)) return true;
    if (!opening->note[0])
        snprintf(opening->note, sizeof opening->note, "the last model cannot be shown: %s",
                 error.text);
    return false;
}

static bool open_shipped(Opening *opening, Error *error) {
    char *path = places_shipped("dates.safetensors");
    if (!path)
        return error_usage(error, "no model to show: the shipped dates.safetensors is not to be "
                                  "found; name a model, or train one: headscope train copy -o "
                                  "copy.safetensors");
    bool good = open_model(opening, path, error);
    free(path);
    return good;
}

static bool open_any(Opening *opening, const OpeningRequest *request, Error *error) {
    if (request->file && saved_state_is_picture(request->file))
        return open_picture(opening, request, error);
    if (request->file) return open_model(opening, request->file, error);
    return open_last(opening, request) || open_last_model(opening, request) ||
           open_shipped(opening, error);
}

/* --- what is said besides --------------------------------------------------------------------- */

/* A theme by its name, which may be none. */
static bool set_theme(Session *session, const char *name, Error *error) {
    ActionText said = {.verb = "theme", .argument = (char *)name, .has_argument = true};
    Action theme;
    return verb_read(session, VERB_THEME, &said, &theme, error) &&
           session_apply(session, &theme, 1, error);
}

bool opening_make(Opening *opening, const OpeningRequest *request, Error *error) {
    *opening = (Opening){.size = {.scale = 1}};
    if (!open_any(opening, request, error)) return false;
    bool good =
        (!request->theme || set_theme(opening->session, request->theme, error)) &&
        (!request->input ||
         session_apply_one(opening->session, action_text(VERB_INPUT, request->input), error));
    if (good) {
        session_forget_steps(opening->session);
        return true;
    }
    session_free(opening->session);
    opening->session = NULL;
    return false;
}

/* --- the head to begin with ------------------------------------------------------------------- */

static int worst_of(const StudyEffect *effects, int count) {
    int worst = 0;
    for (int i = 1; i < count; i++)
        if (effects[i].change < effects[worst].change) worst = i;
    return worst;
}

bool opening_select_head(Session *session) {
    const Model *model = session_model(session);
    Texts texts = {0};
    StudyScore whole;
    Error error;
    int count = 0;
    if (!model->task[0]) return false;
    HeadId *heads = study_heads(&model->config, NULL, &count, &error);
    StudyEffect *effects = calloc((size_t)count + 1, sizeof *effects);
    bool good = heads && effects && count > 0 &&
                texts_make(&texts, model, session_path(session), &(TextList){0}, STUDIED,
                           default_threads(), &error) &&
                study_ablation(effects, &whole, heads, count, KNOCKOUT_ZERO, model, &texts,
                               default_threads(), &error);
    if (good) {
        HeadId id = heads[worst_of(effects, count)];
        good = session_apply_one(session, action_head(VERB_SELECT, id), &error);
        session_forget_steps(session);
    }
    texts_free(&texts);
    free(effects);
    free(heads);
    return good;
}
