/* Running the model where the state asks for it. */
#include <stdio.h>
#include <stdlib.h>

#include "app/session/session_figures.h"
#include "app/session/session_parts.h"
#include "model/base/clock.h"

/* --- the weights on show ---------------------------------------------------------------------- */

const Params *session_params(Session *session) {
    int wanted = session->state.snapshot;
    if (wanted == NONE || wanted >= session->snapshots.count) return &session->model.params;
    if (session->snapshot_index != wanted && !session->working) {
        Params *params = &session->snapshot_params;
        if (!params->block && !params_make(params, &session->model.config, NULL))
            return &session->model.params;
        snapshots_params(&session->snapshots, wanted, params);
        session->snapshot_index = wanted;
        session->weights++;
    }
    return &session->snapshot_params;
}

const Params *session_pass_params(const Session *session) {
    int snapshot = session->pass_state.snapshot;
    if (snapshot != NONE && snapshot < session->snapshots.count)
        return snapshot == session->snapshot_index ? &session->snapshot_params : NULL;
    return session->pass_taken == session->taken ? &session->model.params : NULL;
}

int session_example(const Session *session) {
    const State *state = &session->state;
    return state->companion && session->pass.count > 1 ? state->example : 0;
}

/* --- the pass --------------------------------------------------------------------------------- */

struct SessionWork {
    const Model *model;
    const Params *params;
    State state;
    unsigned long weights;
    AblationMeans *means; /* NULL: not known yet */
    Pass pass;
    double ms;
    bool good;
    Error error;
};

/* Whether this state was the newest to be tried. */
static bool was_tried(const Session *session) {
    const State *tried = session->is_refused ? &session->refused : &session->pass_state;
    return session->pass_tried && session->pass_weights == session->weights &&
           state_same_pass(tried, &session->state, &session->model.config);
}

SessionWork *session_work_begin(Session *session) {
    if (session->working) return NULL;
    const Params *params = session_params(session);
    if (was_tried(session)) return NULL;
    SessionWork *work = calloc(1, sizeof *work);
    if (work && state_copy(&work->state, &session->state, &session->model.config)) {
        work->model = &session->model;
        work->params = params;
        work->weights = session->weights;
        if (session->means_weights == session->weights &&
            session->means_snapshot == session->state.snapshot)
            work->means = session->means;
        session->working = true;
        return work;
    }
    free(work);
    snprintf(session->problem, sizeof session->problem, "out of memory");
    return NULL;
}

/* The means are kept from pass to pass, as long as the weights are the same. */
static bool find_means(SessionWork *work) {
    if (work->means || !state_uses_means(&work->state, &work->model->config)) return true;
    work->means = head_means_of_task(work->model, work->params, &work->error);
    return work->means || !work->error.text[0];
}

void session_work_run(SessionWork *work) {
    double begin = clock_ms();
    work->good = find_means(work);
    PassRequest request = {.model = work->model,
                           .params = work->params,
                           .state = &work->state,
                           .head_means = work->means};
    work->good = work->good && pass_make(&work->pass, &request, &work->error);
    work->ms = clock_ms() - begin;
}

/* The last pass stays on show where the new state could not be run. */
void session_work_end(Session *session, SessionWork *work) {
    state_free(&session->refused);
    session->is_refused = !work->good;
    session->pass_weights = work->weights;
    session->pass_tried = true;
    session->working = false;
    session->version++;
    session->problem[0] = '\0';
    if (work->means && work->means != session->means) {
        ablation_means_free(session->means);
        session->means = work->means;
        session->means_weights = work->weights;
        session->means_snapshot = work->state.snapshot;
    }
    if (work->good) {
        pass_free(&session->pass);
        state_free(&session->pass_state);
        session->pass = work->pass;
        session->pass_state = work->state;
        session->pass_taken = session->taken; /* which cannot rise while there is work */
        session->pass_ms = work->ms;
        session->pass_valid = true;
        session->pass_version++;
    } else {
        session->refused = work->state;
        snprintf(session->problem, sizeof session->problem, "%s", work->error.text);
    }
    free(work);
}

void session_show_first(Session *session) {
    if (session->pass_valid || session->working) return;
    Error error;
    PassRequest request = {
        .model = &session->model, .params = &session->model.params, .state = &session->first};
    if (!state_copy(&session->pass_state, &session->first, &session->model.config)) return;
    if (!pass_make(&session->pass, &request, &error)) {
        state_free(&session->pass_state);
        return;
    }
    session->pass_taken = session->taken;
    session->pass_valid = true;
    session->pass_version++;
}

void session_refresh(Session *session) {
    SessionWork *work = session_work_begin(session);
    if (!work) return;
    session_work_run(work);
    session_work_end(session, work);
}

double session_pass_ms(const Session *session) {
    return session->pass_ms;
}

const Pass *session_pass(Session *session) {
    session_refresh(session);
    return &session->pass;
}

ShownPass session_shown(Session *session) {
    session_refresh(session);
    return (ShownPass){.model = &session->model,
                       .state = &session->state,
                       .params = session_params(session),
                       .pass = session->pass_valid ? &session->pass : NULL,
                       .made_for = &session->pass_state,
                       .pass_params = session_pass_params(session),
                       .example = session_example(session),
                       .problem = session_problem(session)};
}
