#include "app/session/session_compare.h"

#include <stdlib.h>
#include <string.h>

#include "app/session/session_inside.h"

/* --- the other pass --------------------------------------------------------------------------- */

static bool has_text(const char *text) {
    return text && text[0];
}

/* The targets of the pass on show, token by token: so that both sides read the same. */
static void force_tokens(ForcedTarget forced[EXAMPLES], const Pass *pass) {
    for (int i = 0; i < pass->count; i++)
        forced[i] =
            (ForcedTarget){pass->examples[i].target.tokens, pass->examples[i].target.length};
}

/* The same as texts, for another vocabulary. */
static bool force_texts(State *state, const Pass *pass) {
    for (int i = 0; i < pass->count; i++) {
        if (!state_set_text(&state->examples[i].target, pass->examples[i].output)) return false;
        state->examples[i].whole = true;
    }
    return true;
}

/* The weights of a snapshot; of NONE, the model's own. NULL for lack of memory. */
static const Params *params_of(Session *session, int snapshot, Error *error) {
    Params *params = &session->other.params;
    if (snapshot == NONE) return &session->model.params;
    if (!params->block && !params_make(params, &session->model.config, error)) return NULL;
    snapshots_params(&session->snapshots, snapshot, params);
    return params;
}

/* The state with another input in the example that is edited. Its weights are those of the pass on
 * show, which need not be those of the session's state: that may be waiting for its pass. */
static bool run_other_input(Session *session, Error *error) {
    State state;
    if (!state_copy(&state, &session->pass_state, &session->model.config))
        return error_set(error, "out of memory");
    StateExample *example = &state.examples[session_example(session)];
    bool good = state_set_text(&example->input, session->state.other) &&
                state_set_text(&example->target, NULL);
    example->enc_len = example->dec_len = BY_TEXT;
    PassRequest request = {.model = &session->model,
                           .params = params_of(session, state.snapshot, error),
                           .state = &state,
                           .head_means = session->head_means};
    if (!good) error_set(error, "out of memory");
    good = good && request.params && pass_make(&session->other.pass, &request, error);
    state_free(&state);
    return good;
}

/* The same state on other weights of the same network. */
static bool run_weights(Session *session, const Params *params, Error *error) {
    const State *state = &session->pass_state;
    ForcedTarget forced[EXAMPLES] = {0};
    force_tokens(forced, &session->pass);
    AblationMeans *head_means = NULL;
    if (state_uses_means(state, &session->model.config)) {
        head_means = head_means_of_task(&session->model, params, error);
        if (!head_means && error->text[0]) return false;
    }
    PassRequest request = {.model = &session->model,
                           .params = params,
                           .state = state,
                           .head_means = head_means,
                           .forced = forced};
    bool good = pass_make(&session->other.pass, &request, error);
    ablation_means_free(head_means);
    return good;
}

static bool open_other_model(Session *session, Error *error) {
    OtherSide *other = &session->other;
    if (other->path && strcmp(other->path, session->state.other) == 0) return true;
    model_free(&other->model);
    if (!model_open(&other->model, session->state.other, error)) {
        state_set_text(&other->path, NULL);
        return false;
    }
    return state_set_text(&other->path, session->state.other) || error_set(error, "out of memory");
}

/* Another model reads the same texts; what is knocked out here are heads of this one. */
static bool run_other_model(Session *session, Error *error) {
    OtherSide *other = &session->other;
    const State *here = &session->pass_state;
    State state;
    if (!open_other_model(session, error)) return false;
    if (!state_make(&state, &other->model.config, here->examples[0].input))
        return error_set(error, "out of memory");
    state.companion = here->companion;
    state.step = here->step;
    bool good = state_set_text(&state.examples[1].input, here->examples[1].input) &&
                force_texts(&state, &session->pass);
    PassRequest request = {.model = &other->model, .params = &other->model.params, .state = &state};
    good = good ? pass_make(&other->pass, &request, error) : error_set(error, "out of memory");
    state_free(&state);
    return good;
}

static bool run_snapshot(Session *session, Error *error) {
    const Params *params = params_of(session, session->state.other_snapshot, error);
    return params && run_weights(session, params, error);
}

static bool run_other(Session *session, Error *error) {
    switch (session->state.mode) {
    case COMPARE_INPUTS:
        return run_other_input(session, error);
    case COMPARE_MODELS:
        return run_other_model(session, error);
    default:
        return run_snapshot(session, error);
    }
}

/* Whether the mode needs a pass of its own, and has what it needs for it. */
static bool other_is_asked(const State *state) {
    bool named = state->mode == COMPARE_INPUTS || state->mode == COMPARE_MODELS;
    return state->mode == COMPARE_SNAPSHOTS || (named && has_text(state->other));
}

static bool other_is_current(const Session *session) {
    const OtherKey *of = &session->other.of;
    return of->text && pass_key_same(of->pass, session->pass.key) &&
           of->mode == session->state.mode && of->snapshot == session->state.other_snapshot &&
           of->example == session_example(session) && strcmp(of->text, session->state.other) == 0;
}

void session_compare_refresh(Session *session) {
    const State *state = &session->state;
    OtherSide *other = &session->other;
    bool on_show =
        state->page == PAGE_COMPARE || (state->difference && state->page != PAGE_LESSONS);
    if (!session_has_pass(session) || !on_show || !other_is_asked(state) ||
        other_is_current(session))
        return;
    pass_free(&other->pass);
    other->problem = (Error){0};
    other->valid = run_other(session, &other->problem);
    OtherKey *of = &other->of;
    of->pass = session->pass.key;
    of->mode = state->mode;
    of->snapshot = state->other_snapshot;
    of->example = session_example(session);
    state_set_text(&of->text, state->other);
}

void session_compare_free(Session *session) {
    OtherSide *other = &session->other;
    model_free(&other->model);
    params_free(&other->params);
    pass_free(&other->pass);
    comparison_free(&session->other.comparison);
    free(other->path);
    free(other->of.text);
}

/* --- the sides -------------------------------------------------------------------------------- */

static Side side_of(const Pass *pass, const World *world, int example, HeadId id) {
    return (Side){.trace = world->examples[example].trace,
                  .id = id,
                  .axes = &pass->examples[example].axes[id.site],
                  .rows = pass_rows(pass, id.site),
                  .columns = pass_columns(pass, id.site)};
}

static bool needs_text(const State *state, const char **reason) {
    if (other_is_asked(state)) return false;
    if (state->mode == COMPARE_INPUTS) *reason = "Type the other input: against input TEXT";
    if (state->mode == COMPARE_MODELS) *reason = "Name the other model: against model FILE";
    return state->mode == COMPARE_INPUTS || state->mode == COMPARE_MODELS;
}

static bool has_head(const Pass *pass, HeadId id) {
    TraceShape shape = trace_shape(pass->world.examples[0].trace, id.site);
    return id.layer < shape.layers && id.head < shape.heads;
}

bool session_sides(const Session *session, HeadId id, int example, Side *a, Side *b,
                   const char **reason) {
    const State *state = &session->state;
    *reason = "There is nothing to show yet";
    if (!session_has_pass(session)) return false;
    const Pass *pass = &session->pass;
    *a = side_of(pass, &pass->world, example, id);
    if (state->mode == COMPARE_HEADS) {
        *b = side_of(pass, &pass->world, example, state->other_head);
        return true;
    }
    if (state->mode == COMPARE_PLAIN) {
        *reason = "Nothing is changed: knock a head out (a), drag a valid length or switch "
                  "causality off, and the model as trained stands here";
        if (pass->changed) *b = side_of(pass, &pass->plain, example, id);
        return pass->changed;
    }
    if (needs_text(state, reason)) return false;
    *reason = "There is nothing to show yet";
    if (!other_is_current(session)) return false;
    *reason = session->other.problem.text;
    if (!session->other.valid) return false;
    *reason = "The other model has no such head";
    if (!has_head(&session->other.pass, id)) return false;
    *b = side_of(&session->other.pass, &session->other.pass.world, example, id);
    return true;
}

bool session_can_subtract(Session *session, const Side *a, const Side *b, const char **reason) {
    if (a->id.site != b->id.site) {
        *reason = "A and B are of different sites: their rows and columns are not the same tokens, "
                  "so that cell by cell there is nothing to subtract";
        return false;
    }
    TraceShape first = trace_shape(a->trace, a->id.site),
               second = trace_shape(b->trace, b->id.site);
    bool same = first.queries == second.queries && first.keys == second.keys;
    if (!same)
        *reason = pool_format(&session->pool,
                              "A is %d x %d and B is %d x %d: maps of different sizes have no "
                              "difference cell by cell",
                              first.queries, first.keys, second.queries, second.keys);
    return same;
}
