/* Running the model where the state asks for it. */
#include <stdio.h>
#include <stdlib.h>

#include "app/session_figures.h"
#include "app/session_parts.h"
#include "data/examples.h"
#include "data/task.h"
#include "model/ablation_means.h"

enum { MEAN_EXAMPLES = 64 };

/* --- the weights on show ---------------------------------------------------------------------- */

const Params *session_params(Session *session) {
    int wanted = session->state.snapshot;
    if (wanted == NONE || wanted >= session->snapshots.count) return &session->model.params;
    if (session->snapshot_index != wanted) {
        Params *params = &session->snapshot_params;
        if (!params->block && !params_make(params, &session->model.config, NULL))
            return &session->model.params;
        snapshots_params(&session->snapshots, wanted, params);
        session->snapshot_index = wanted;
        session->weights++;
    }
    return &session->snapshot_params;
}

/* --- the mean outputs of heads ---------------------------------------------------------------- */

static bool add_examples(AblationMeans *means, Session *session, const Task *task, Error *error) {
    int found = 0;
    Batch batch = {0};
    Workspace workspace = {0};
    const Config *config = &session->model.config;
    TaskExample *examples = examples_held_out(task, MEAN_EXAMPLES, &found, error);
    bool good = examples &&
                examples_to_batch(&batch, examples, found, config, &session->model.source_vocab,
                                  &session->model.target_vocab, error) &&
                workspace_fit(&workspace, config, batch.size, batch.source_len, batch.target_len,
                              false, error);
    if (good) {
        transformer_forward(&workspace, session_params(session), &batch, (ForwardOptions){0});
        ablation_means_add(means, &workspace, &batch);
    }
    workspace_free(&workspace);
    batch_free(&batch);
    free(examples);
    return good;
}

/* Over held-out examples of the model's task. */
static bool task_means(void *context, Ablation *ablation, Error *error) {
    Session *session = context;
    const Task *task = task_find(session->model.task);
    AblationMeans *means = ablation_means_make(&session->model.config, error);
    bool good = means && add_examples(means, session, task, error);
    if (good) ablation_means_store(means, ablation);
    ablation_means_free(means);
    return good;
}

/* --- the pass --------------------------------------------------------------------------------- */

/* The last pass stays on show where the new state cannot be run. */
static void run(Session *session) {
    Error error = {0};
    Pass pass;
    PassWish wish = {.model = &session->model,
                     .params = session_params(session),
                     .state = &session->state,
                     .means = task_find(session->model.task) ? task_means : NULL,
                     .context = session};
    session->problem[0] = '\0';
    if (!pass_make(&pass, &wish, &error)) {
        snprintf(session->problem, sizeof session->problem, "%s", error.text);
        return;
    }
    pass_free(&session->pass);
    session->pass = pass;
    session->pass_valid = true;
    session->pass_version++;
}

void session_refresh(Session *session) {
    const Config *config = &session->model.config;
    session_params(session);
    bool same = session->pass_tried && session->pass_weights == session->weights &&
                state_same_pass(&session->pass_state, &session->state, config);
    if (same) return;
    State tried;
    if (!state_copy(&tried, &session->state, config)) {
        snprintf(session->problem, sizeof session->problem, "out of memory");
        return;
    }
    state_free(&session->pass_state);
    session->pass_state = tried;
    session->pass_weights = session->weights;
    session->pass_tried = true;
    session->version++;
    run(session);
}

const Pass *session_pass(Session *session) {
    session_refresh(session);
    return &session->pass;
}
