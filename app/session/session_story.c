#include "app/session/session_story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/session/session_parts.h"

/* The state that the pass on show was made for. */
static const State *shown(const Session *session) {
    return &session->pass_state;
}

void session_story_size(Session *session, Site site, int *queries, int *keys) {
    session_refresh(session);
    const Pass *pass = &session->pass;
    *queries = site == SITE_ENCODER ? pass->source_len : pass->steps;
    *keys = site == SITE_DECODER ? pass->steps : pass->source_len;
}

static int example_of(const Session *session) {
    int example = session_example(session);
    return example < session->pass.count ? example : 0;
}

static const SceneAxes *axes_of(const Session *session, Site site) {
    return &session->pass.examples[example_of(session)].axes[site];
}

static bool check_head(const Session *session, HeadId id, Error *error) {
    const Config *config = &session->model.config;
    int layers = state_layers(config, id.site);
    if (id.layer < layers && id.head < config->heads) return true;
    return error_usage(error,
                       "the model has no %s.%d.%d; %s has %d layers and %d heads, both counted "
                       "from 0",
                       site_name(id.site), id.layer, id.head, site_name(id.site), layers,
                       config->heads);
}

static bool check_place(HeadId id, bool is_query, int place, int count, Error *error) {
    const char *what = is_query ? "query" : "key";
    if (place >= 0 && place < count) return true;
    bool encoder = id.site == SITE_ENCODER || (id.site == SITE_CROSS && !is_query);
    return error_usage(error, "%s %d: the %s has %d token%s, counted from 0", what, place,
                       encoder ? "encoder" : "decoder", count, count == 1 ? "" : "s");
}

static bool check_pass(Session *session, Error *error) {
    session_refresh(session);
    if (session->pass_valid) return true;
    const char *problem = session_problem(session);
    return error_usage(error, "%s", problem ? problem : "there is no pass to explain");
}

/* --- telling ---------------------------------------------------------------------------------- */

static bool tell(SessionStory *told, Session *session, StoryAsk *ask, Error *error) {
    const Pass *pass = &session->pass;
    int enc_lens[EXAMPLES], dec_lens[EXAMPLES];
    pass_lens(pass, enc_lens, dec_lens);
    AttentionMistakes mistakes[SITE_COUNT];
    int trap = shown(session)->trap;
    trap_mistakes(mistakes, trap_at(trap));
    told->trap = trap_of(trap == NONE ? session->model.config.mistakes : mistakes);
    Ablation *ablation = ablation_make(&session->model.config, error);
    if (ablation) pass_ablate(ablation, shown(session), &session->model.config);
    ask->options = (ForwardOptions){.ablation = ablation,
                                    .enc_valid_lens = enc_lens,
                                    .dec_valid_lens = dec_lens,
                                    .not_causal = shown(session)->not_causal,
                                    .mistakes = trap == NONE ? NULL : mistakes};
    bool good = ablation && weight_story_make(&told->story, ask, error);
    ablation_free(ablation);
    return good;
}

bool session_story(SessionStory *told, Session *session, HeadId id, int query, int key,
                   Error *error) {
    *told = (SessionStory){0};
    int queries, keys;
    if (!check_pass(session, error) || !check_head(session, id, error)) return false;
    session_story_size(session, id.site, &queries, &keys);
    if (!check_place(id, true, query, queries, error) || !check_place(id, false, key, keys, error))
        return false;
    const Params *params = session_pass_params(session);
    if (!params)
        return error_usage(error, "the weights have changed since this pass, and the new pass is "
                                  "not there yet");
    StoryAsk ask = {.workspace = &session->pass.workspace,
                    .params = params,
                    .batch = &session->pass.batch,
                    .id = id,
                    .example = example_of(session),
                    .query = query,
                    .key = key};
    const SceneAxes *axes = axes_of(session, id.site);
    told->config = &session->model.config;
    told->queries = axes->rows;
    told->keys = axes->columns;
    return tell(told, session, &ask, error);
}

void session_story_free(SessionStory *told) {
    weight_story_free(&told->story);
    *told = (SessionStory){0};
}

/* --- the state's cell ------------------------------------------------------------------------- */

/* A story and what it was told of. */
typedef struct CellStory {
    SessionStory told;
    bool good;
    unsigned long pass;
    HeadId id;
    int example, row, column;
} CellStory;

static bool is_told(const Session *session, const CellStory *cell) {
    const State *state = &session->state;
    return cell->pass == session->pass_version && head_id_same(cell->id, state->head) &&
           cell->example == example_of(session) && cell->row == state->cell_row &&
           cell->column == state->cell_column;
}

const SessionStory *session_cell_story(Session *session) {
    const State *state = &session->state;
    session_refresh(session);
    if (state->cell_row == NONE || !session->pass_valid) return NULL;
    if (!session->cell) session->cell = calloc(1, sizeof *session->cell);
    CellStory *cell = session->cell;
    if (!cell) return NULL;
    if (!is_told(session, cell)) {
        session_story_free(&cell->told);
        *cell = (CellStory){.pass = session->pass_version,
                            .id = state->head,
                            .example = example_of(session),
                            .row = state->cell_row,
                            .column = state->cell_column};
        cell->good = session_story(&cell->told, session, cell->id, cell->row, cell->column, NULL);
    }
    return cell->good ? &cell->told : NULL;
}

void session_cell_story_free(Session *session) {
    if (session->cell) session_story_free(&session->cell->told);
    free(session->cell);
    session->cell = NULL;
}

/* --- finding a cell --------------------------------------------------------------------------- */

void session_story_first(Session *session, HeadId id, int *query, int *key) {
    int queries, keys;
    float largest = -1;
    *query = *key = 0;
    session_story_size(session, id.site, &queries, &keys);
    if (!session->pass_valid || !check_head(session, id, NULL)) return;
    const Trace *trace = session->pass.world.examples[example_of(session)].trace;
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

bool session_story_place(Session *session, HeadId id, bool is_query, const char *text, int *place,
                         Error *error) {
    int queries, keys, found = NONE, count = 0, second = NONE;
    if (!check_pass(session, error) || !check_head(session, id, error)) return false;
    session_story_size(session, id.site, &queries, &keys);
    if (is_number(text)) {
        *place = atoi(text);
        return check_place(id, is_query, *place, is_query ? queries : keys, error);
    }
    const PassExample *example = &session->pass.examples[example_of(session)];
    bool source = id.site == SITE_ENCODER || (id.site == SITE_CROSS && !is_query);
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
