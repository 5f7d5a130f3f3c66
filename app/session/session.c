#include "app/session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/session/session_inside.h"
#include "app/session/state_text.h"
#include "data/tasks/examples.h"
#include "data/tasks/task.h"

/* --- making one ------------------------------------------------------------------------------- */

/* The sample of the model's task; for a model from elsewhere, the first token it knows. */
static const char *first_input(const Model *model) {
    const Task *task = task_find(model->task);
    if (task) return task->sample;
    return model->source_vocab.size > VOCAB_MARKS ? model->source_vocab.tokens[VOCAB_MARKS] : "";
}

/* A companion of another length, as held-out examples of the task have it: beside a copy of the
 * first there would be nothing to see. */
static bool set_companion(Session *session) {
    enum { DRAWN = 16 };
    const Task *task = task_find(session->model.task);
    State *first = &session->first;
    int found = 0;
    TaskExample *examples = task ? examples_held_out(task, DRAWN, &found, NULL) : NULL;
    size_t length = strlen(first->examples[0].input);
    bool good = true;
    for (int i = 0; i < found; i++) {
        if (strlen(examples[i].source) == length) continue;
        good = state_set_text(&first->examples[1].input, examples[i].source);
        break;
    }
    free(examples);
    return good;
}

/* Snapshots that lie beside the model; a model without any is the usual case, and a file that does
 * not fit it is no reason not to show the model. */
static void find_snapshots(Session *session) {
    char *path = snapshots_path(session->path);
    bool there = path && access(path, F_OK) == 0;
    Error error;
    if (there && !snapshots_open(&session->snapshots, path, &session->model, &error))
        session->snapshots_problem = error;
    free(path);
}

Session *session_make(Model *model, const char *path, Error *error) {
    Session *session = calloc(1, sizeof *session);
    if (session)
        session->model = *model;
    else
        model_free(model);
    *model = (Model){0};
    bool good = session != NULL;
    if (good) {
        session->generation = 1;
        session->snapshot_index = NONE;
        good = state_make(&session->first, &session->model.config, first_input(&session->model)) &&
               set_companion(session) &&
               state_copy(&session->state, &session->first, &session->model.config) &&
               (session->path = strdup(path)) != NULL && session_figures_make(session);
    }
    if (good) {
        if (path[0]) find_snapshots(session);
        return session;
    }
    session_free(session);
    error_set(error, "out of memory");
    return NULL;
}

void session_free(Session *session) {
    if (!session) return;
    session_figures_free(session);
    session_compare_free(session);
    pass_free(&session->pass);
    ablation_means_free(session->head_means);
    snapshots_free(&session->snapshots);
    params_free(&session->snapshot_params);
    state_free(&session->first);
    state_free(&session->state);
    state_free(&session->pass_state);
    history_clear(&session->undo);
    history_clear(&session->redo);
    pool_free(&session->pool);
    lesson_free(session->lesson.maker);
    free(session->lesson.words);
    model_free(&session->model);
    free(session->path);
    free(session);
}

void session_set_host(Session *session, SessionHost host) {
    session->host = host;
}

const State *session_state(const Session *session) {
    return &session->state;
}

const Model *session_model(const Session *session) {
    return &session->model;
}

const char *session_path(const Session *session) {
    return session->path;
}

unsigned long session_version(const Session *session) {
    return session->version;
}

char *session_recipe(const Session *session) {
    return state_text(&session->state, &session->model.config, STATE_SHOWN);
}

char *session_picture_recipe(const Session *session) {
    return state_text(&session->state, &session->model.config, STATE_PICTURE);
}

bool session_name(Session *session, const char *path, const char *hash, Error *error) {
    char *copy = strdup(path);
    if (!copy) return error_set(error, "out of memory");
    free(session->path);
    session->path = copy;
    snprintf(session->model.hash, sizeof session->model.hash, "%s", hash);
    session->version++;
    return true;
}

void session_take_params(Session *session, const real *block) {
    session->path[0] = session->model.hash[0] = '\0';
    memcpy(session->model.params.block, block, (size_t)session->model.params.count * sizeof *block);
    session->generation++;
    session->version++;
}

void session_refresh(Session *session) {
    session_refresh_pass(session);
    session_figures_refresh(session);
    session_compare_refresh(session);
    session_lesson_refresh(session);
}
