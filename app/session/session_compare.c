/* The two sides of a comparison: the pass on show, and another one where that is asked for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/session/session_figures.h"
#include "app/session/session_parts.h"

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
                           .head_means = session->means};
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
    AblationMeans *means = NULL;
    if (state_uses_means(state, &session->model.config)) {
        means = head_means_of_task(&session->model, params, error);
        if (!means && error->text[0]) return false;
    }
    PassRequest request = {.model = &session->model,
                           .params = params,
                           .state = state,
                           .head_means = means,
                           .forced = forced};
    bool good = pass_make(&session->other.pass, &request, error);
    ablation_means_free(means);
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

/* What the other pass was made for; it is made anew when one of them changes. */
static bool other_is_current(const Session *session) {
    const OtherSide *other = &session->other;
    return other->tried && other->mode == session->state.mode &&
           other->made_for == session->pass_version &&
           other->snapshot == session->state.other_snapshot &&
           other->example == session_example(session) &&
           strcmp(other->text, session->state.other) == 0;
}

static void other_refresh(Session *session) {
    OtherSide *other = &session->other;
    if (other_is_current(session)) return;
    Error error = {0};
    pass_free(&other->pass);
    other->problem[0] = '\0';
    other->valid = run_other(session, &error);
    if (!other->valid) snprintf(other->problem, sizeof other->problem, "%s", error.text);
    other->tried = state_set_text(&other->text, session->state.other);
    other->mode = session->state.mode;
    other->made_for = session->pass_version;
    other->snapshot = session->state.other_snapshot;
    other->example = session_example(session);
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
    if (has_text(state->other)) return false;
    if (state->mode == COMPARE_INPUTS) *reason = "Type the other input: against input TEXT";
    if (state->mode == COMPARE_MODELS) *reason = "Name the other model: against model FILE";
    return state->mode == COMPARE_INPUTS || state->mode == COMPARE_MODELS;
}

static bool has_head(const Pass *pass, HeadId id) {
    TraceShape shape = trace_shape(pass->world.examples[0].trace, id.site);
    return id.layer < shape.layers && id.head < shape.heads;
}

bool session_sides(Session *session, HeadId id, int example, Side *a, Side *b,
                   const char **reason) {
    session_refresh(session);
    const State *state = &session->state;
    *reason = "There is nothing to show yet";
    if (!session->pass_valid) return false;
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
    other_refresh(session);
    *reason = session->other.problem;
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
