/* The pass on show: running the model where the state asks for another one. */
#include <stdlib.h>

#include "app/session/session_inside.h"
#include "model/base/clock.h"

/* --- the weights ------------------------------------------------------------------------------ */

static int wanted_snapshot(const Session *session) {
    int wanted = session->state.snapshot;
    return wanted < session->snapshots.count ? wanted : NONE;
}

/* Reads the weights of the snapshot that the state asks for. */
static void load_snapshot(Session *session) {
    int wanted = wanted_snapshot(session);
    Params *params = &session->snapshot_params;
    if (wanted == NONE || wanted == session->snapshot_index) return;
    if (!params->block && !params_make(params, &session->model.config, NULL)) return;
    snapshots_params(&session->snapshots, wanted, params);
    session->snapshot_index = wanted;
}

/* The weights that the state asks for; the model's own, while those of a snapshot are not read. */
static const Params *params_of(const Session *session) {
    int wanted = wanted_snapshot(session);
    bool read = wanted != NONE && wanted == session->snapshot_index;
    return read ? &session->snapshot_params : &session->model.params;
}

WeightsKey session_loaded(const Session *session) {
    return (WeightsKey){session->generation, session->snapshot_index};
}

/* The weights that the pass on show was made with, which are others while a pass with new ones is
 * in the making, or cannot be made. NULL: they are gone. */
static const Params *pass_params_of(const Session *session) {
    WeightsKey weights = session->pass.key.weights;
    if (weights.snapshot != NONE && weights.snapshot < session->snapshots.count)
        return weights.snapshot == session->snapshot_index ? &session->snapshot_params : NULL;
    return weights.generation == session->generation ? &session->model.params : NULL;
}

/* --- the pass --------------------------------------------------------------------------------- */

struct SessionWork {
    PassRequest request; /* its state and head means are those below */
    PassKey key;
    State state;
    AblationMeans *head_means; /* NULL: not known yet */
    Pass pass;
    double ms;
    bool good;
    Error error;
};

/* Whether this state was the newest to be tried, or is that of the pass on show. */
static bool is_current(Session *session, PassKey key) {
    if (pass_key_same(key, session->tried)) return true;
    if (!pass_key_same(key, session->pass.key)) return false;
    session->tried = key;
    session->problem = (Error){0};
    session->version++;
    return true;
}

SessionWork *session_work_begin(Session *session) {
    if (session->working) return NULL;
    PassKey key = pass_key(&session->state, &session->model.config, session->generation);
    load_snapshot(session);
    if (is_current(session, key)) return NULL;
    SessionWork *work = calloc(1, sizeof *work);
    if (work && state_copy(&work->state, &session->state, &session->model.config)) {
        work->key = key;
        work->request = (PassRequest){.model = &session->model,
                                      .params = params_of(session),
                                      .state = &work->state,
                                      .generation = session->generation};
        if (weights_key_same(session->head_means_of, key.weights))
            work->head_means = session->head_means;
        session->working = true;
        return work;
    }
    free(work);
    error_set(&session->problem, "out of memory");
    return NULL;
}

/* The head means are kept from pass to pass, as long as the weights are the same. */
static bool find_head_means(SessionWork *work) {
    const PassRequest *request = &work->request;
    if (work->head_means || !state_uses_means(&work->state, &request->model->config)) return true;
    work->head_means = head_means_of_task(request->model, request->params, &work->error);
    return work->head_means || !work->error.text[0];
}

void session_work_run(SessionWork *work) {
    double begin = clock_ms();
    work->good = find_head_means(work);
    work->request.head_means = work->head_means;
    work->good = work->good && pass_make(&work->pass, &work->request, &work->error);
    work->ms = clock_ms() - begin;
}

/* The story of the cell goes with the pass, whose labels it borrows. */
static void show(Session *session, Pass pass, State made_for) {
    pass_story_free(&session->cell.told);
    session->cell = (CellStory){0};
    pass_free(&session->pass);
    state_free(&session->pass_state);
    session->pass = pass;
    session->pass_state = made_for;
}

/* The last pass stays on show where the new state could not be run. */
void session_work_end(Session *session, SessionWork *work) {
    session->tried = work->key;
    session->working = false;
    session->version++;
    session->problem = (Error){0};
    if (work->head_means && work->head_means != session->head_means) {
        ablation_means_free(session->head_means);
        session->head_means = work->head_means;
        session->head_means_of = work->key.weights;
    }
    if (work->good) {
        show(session, work->pass, work->state);
        session->pass_ms = work->ms;
    } else {
        state_free(&work->state);
        session->problem = work->error;
    }
    free(work);
}

bool session_show_first(Session *session) {
    State first;
    Pass pass;
    if (session_has_pass(session) || session->working) return false;
    if (!state_copy(&first, &session->first, &session->model.config)) return false;
    PassRequest request = {.model = &session->model,
                           .params = &session->model.params,
                           .state = &first,
                           .generation = session->generation};
    bool made = pass_make(&pass, &request, NULL);
    if (made)
        show(session, pass, first);
    else
        state_free(&first);
    return made;
}

void session_refresh_pass(Session *session) {
    SessionWork *work = session_work_begin(session);
    if (!work) return;
    session_work_run(work);
    session_work_end(session, work);
}

/* --- what is there ---------------------------------------------------------------------------- */

bool session_has_pass(const Session *session) {
    return session->pass.count > 0;
}

int session_example(const Session *session) {
    const State *state = &session->state;
    return state->companion && session->pass.count > 1 ? state->example : 0;
}

double session_pass_ms(const Session *session) {
    return session->pass_ms;
}

const Pass *session_pass(const Session *session) {
    return &session->pass;
}

const char *session_problem(const Session *session) {
    return session->problem.text[0] ? session->problem.text : NULL;
}

ShownPass session_shown(const Session *session) {
    return (ShownPass){.model = &session->model,
                       .state = &session->state,
                       .params = params_of(session),
                       .pass = session_has_pass(session) ? &session->pass : NULL,
                       .made_for = &session->pass_state,
                       .pass_params = pass_params_of(session),
                       .example = session_example(session),
                       .problem = session_problem(session)};
}
