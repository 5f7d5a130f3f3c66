#include "app/pass/pass_story.h"

#include <stdlib.h>
#include <string.h>

void pass_story_size(const Pass *pass, Site site, int *queries, int *keys) {
    *queries = site == SITE_ENCODER ? pass->source_len : pass->steps;
    *keys = site == SITE_DECODER ? pass->steps : pass->source_len;
}

static bool check_head(const ShownPass *shown, HeadId id, Error *error) {
    const Config *config = &shown->model->config;
    int layers = state_layers(config, id.site);
    if (id.layer < layers && id.head < config->heads) return true;
    return error_usage(error,
                       "the model has no %s.%d.%d; %s has %d layers and %d heads, both counted "
                       "from 0",
                       site_name(id.site), id.layer, id.head, site_name(id.site), layers,
                       config->heads);
}

static bool is_source_token(HeadId id, bool is_query) {
    return id.site == SITE_ENCODER || (id.site == SITE_CROSS && !is_query);
}

static bool check_place(HeadId id, bool is_query, int place, int count, Error *error) {
    const char *what = is_query ? "query" : "key";
    if (place >= 0 && place < count) return true;
    return error_usage(error, "%s %d: the %s has %d token%s, counted from 0", what, place,
                       is_source_token(id, is_query) ? "encoder" : "decoder", count,
                       count == 1 ? "" : "s");
}

static bool check_pass(const ShownPass *shown, Error *error) {
    if (shown->pass) return true;
    return error_usage(error, "%s",
                       shown->problem ? shown->problem : "there is no pass to explain");
}

/* --- explaining ------------------------------------------------------------------------------- */

/* Recomputes the weight under the options that the pass was run with. */
static bool explain(PassStory *story, const ShownPass *shown, StoryRequest *request, Error *error) {
    const Config *config = &shown->model->config;
    int enc_lens[EXAMPLES], dec_lens[EXAMPLES];
    pass_lens(shown->pass, enc_lens, dec_lens);
    AttentionMistakes mistakes[SITE_COUNT];
    int trap = shown->made_for->trap;
    trap_mistakes(mistakes, mistake_kind(trap));
    story->trap = trap_of(trap == NONE ? config->mistakes : mistakes);
    Ablation *ablation = ablation_make(config, error);
    if (ablation) pass_ablate(ablation, shown->made_for, config);
    request->options = (ForwardOptions){.ablation = ablation,
                                        .enc_valid_lens = enc_lens,
                                        .dec_valid_lens = dec_lens,
                                        .not_causal = shown->made_for->not_causal,
                                        .mistakes = trap == NONE ? NULL : mistakes};
    bool good = ablation && weight_story_make(&story->story, request, error);
    ablation_free(ablation);
    return good;
}

bool pass_story_make(PassStory *story, const ShownPass *shown, HeadId id, int query, int key,
                     Error *error) {
    *story = (PassStory){0};
    int queries, keys;
    if (!check_pass(shown, error) || !check_head(shown, id, error)) return false;
    pass_story_size(shown->pass, id.site, &queries, &keys);
    if (!check_place(id, true, query, queries, error) || !check_place(id, false, key, keys, error))
        return false;
    if (!shown->pass_params)
        return error_usage(error, "the weights have changed since this pass, and the new pass is "
                                  "not there yet");
    StoryRequest request = {.workspace = &shown->pass->workspace,
                            .params = shown->pass_params,
                            .batch = &shown->pass->batch,
                            .id = id,
                            .example = shown->example,
                            .query = query,
                            .key = key};
    const SceneAxes *axes = &shown->pass->examples[shown->example].axes[id.site];
    story->config = &shown->model->config;
    story->queries = axes->rows;
    story->keys = axes->columns;
    return explain(story, shown, &request, error);
}

void pass_story_free(PassStory *story) {
    weight_story_free(&story->story);
    *story = (PassStory){0};
}

/* --- finding a cell --------------------------------------------------------------------------- */

void pass_story_first(const ShownPass *shown, HeadId id, int *query, int *key) {
    int queries, keys;
    float largest = -1;
    *query = *key = 0;
    if (!shown->pass || !check_head(shown, id, NULL)) return;
    pass_story_size(shown->pass, id.site, &queries, &keys);
    const Trace *trace = shown->pass->world.examples[shown->example].trace;
    for (int row = 0; row < queries && row < trace_real_queries(trace, id.site); row++)
        for (int column = 0; trace_key_len(trace, id, row) > 1 && column < keys; column++) {
            float weight = trace_cell(trace, id, row, column, NULL);
            if (!(weight > largest)) continue;
            largest = weight;
            *query = row;
            *key = column;
        }
}

static bool is_number(const char *text) {
    return text[0] && strspn(text, "0123456789") == strlen(text) && strlen(text) < 9;
}

bool pass_story_place(const ShownPass *shown, HeadId id, bool is_query, const char *text,
                      int *place, Error *error) {
    int queries, keys, found = NONE, count = 0, second = NONE;
    if (!check_pass(shown, error) || !check_head(shown, id, error)) return false;
    pass_story_size(shown->pass, id.site, &queries, &keys);
    if (is_number(text)) {
        *place = atoi(text);
        return check_place(id, is_query, *place, is_query ? queries : keys, error);
    }
    const PassExample *example = &shown->pass->examples[shown->example];
    bool source = is_source_token(id, is_query);
    const char **tokens = source ? example->source : example->reads;
    for (int i = 0; i < (is_query ? queries : keys); i++)
        if (strcmp(tokens[i], text) == 0) {
            if (count++ == 0)
                found = i;
            else if (second == NONE)
                second = i;
        }
    const char *what = is_query ? "query" : "key";
    if (count == 0)
        return error_usage(error,
                           "%s %.40s: no token of the %s is that; it takes a number from 0 "
                           "to %d",
                           what, text, source ? "source" : "target",
                           (is_query ? queries : keys) - 1);
    if (count > 1)
        return error_usage(error,
                           "%s %.40s: %d tokens are that, among them %d and %d; say which by "
                           "its number",
                           what, text, count, found, second);
    *place = found;
    return true;
}
