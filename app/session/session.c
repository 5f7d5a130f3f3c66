#include "app/session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/session/session_figures.h"
#include "app/session/session_parts.h"
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
        snprintf(session->snapshots_problem, PROBLEM_SIZE, "%s", error.text);
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
        session->snapshot_index = NONE;
        good = state_make(&session->first, &session->model.config, first_input(&session->model)) &&
               set_companion(session) &&
               state_copy(&session->state, &session->first, &session->model.config) &&
               (session->path = strdup(path)) != NULL && figures_make(session);
    }
    if (good) {
        if (path[0]) find_snapshots(session);
        return session;
    }
    session_free(session);
    error_set(error, "out of memory");
    return NULL;
}

static void other_free(OtherSide *other) {
    model_free(&other->model);
    params_free(&other->params);
    pass_free(&other->pass);
    free(other->path);
    free(other->text);
}

void session_free(Session *session) {
    if (!session) return;
    figures_free(session);
    session_cell_story_free(session);
    other_free(&session->other);
    pass_free(&session->pass);
    ablation_means_free(session->means);
    snapshots_free(&session->snapshots);
    params_free(&session->snapshot_params);
    state_free(&session->first);
    state_free(&session->state);
    state_free(&session->pass_state);
    state_free(&session->refused);
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

const char *session_problem(const Session *session) {
    return session->problem[0] ? session->problem : NULL;
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
    session->weights++;
    session->taken++;
    session->version++;
}

/* --- doing actions ---------------------------------------------------------------------------- */

/* Where actions come from, and so what they may do. */
typedef enum Source {
    SOURCE_PERSON,
    SOURCE_RECIPE,  /* the person's own: it says what is shown */
    SOURCE_PICTURE, /* a stranger's: and opens nothing */
} Source;

static bool check_one(const Action *action, Source source, bool *travels, Error *error) {
    const Verb *verb = session_verb_find(action->verb);
    if (!verb)
        return error_usage(error, "\"%s\" is no action; headscope view --actions lists them",
                           action->verb);
    *travels = *travels || verb->travels;
    if (source == SOURCE_PERSON) return true;
    bool shows = verb->reach == REACH_STATE || verb->reach == REACH_WORDS;
    if (verb->travels || !shows)
        return error_usage(error, "%s: a recipe says what is shown, and does nothing else",
                           action->verb);
    if (source == SOURCE_PICTURE && verb->reach == REACH_WORDS && verb->names_file(action))
        return error_usage(error, "%s %.60s: a recipe in a picture opens no file", action->verb,
                           action->argument);
    return true;
}

/* What can be seen to be wrong before any of them is done. */
static bool check_all(const char *actions, Source source, Error *error) {
    bool good = true, end = false, travels = false;
    int count = -1;
    for (; good && !end; count++) {
        Action action;
        good = action_next(&actions, &action, error);
        end = good && !action.verb[0];
        if (good && !end) good = check_one(&action, source, &travels, error);
        action_free(&action);
    }
    if (good && travels && count > 1)
        return error_usage(error, "undo and redo stand alone: nothing else goes with them");
    return good;
}

static bool do_one(Session *session, const Action *action, bool *undoable, Error *error) {
    const Verb *verb = session_verb_find(action->verb);
    *undoable = *undoable || (verb->apply && !verb->transient);
    if (verb->apply) return verb->apply(session, action, error);
    if (!session->host.act)
        return error_usage(error, "%s: there is nobody here to do it", action->verb);
    return session->host.act(session->host.context, verb->help.verb, action->argument, error);
}

/* Does all of them, checked before, on the state as it is; *first is the first verb. */
static bool do_all(Session *session, const char *actions, char first[24], bool *undoable,
                   Error *error) {
    bool good = true;
    first[0] = '\0';
    while (good) {
        Action action;
        good = action_next(&actions, &action, error);
        bool end = good && !action.verb[0];
        if (good && !end) {
            if (!first[0]) memcpy(first, action.verb, sizeof action.verb);
            good = do_one(session, &action, undoable, error);
        }
        action_free(&action);
        if (end) break;
    }
    return good;
}

/* Keeps `before` for undo if the state has another recipe now. */
static void remember(Session *session, char *before, const char *verb, bool drag) {
    char *after = state_text(&session->state, &session->model.config, STATE_STEP);
    bool same = !after || strcmp(before, after) == 0;
    bool joined = drag && session->undo.count && strcmp(verb, session->last_verb) == 0;
    free(after);
    if (same || joined) {
        free(before);
    } else {
        history_push(&session->undo, before);
    }
    if (!same) history_clear(&session->redo);
    if (!same) snprintf(session->last_verb, sizeof session->last_verb, "%s", drag ? verb : "");
}

static bool apply(Session *session, const char *actions, bool drag, Error *error) {
    State saved;
    char first[24];
    bool undoable = false;
    const Config *config = &session->model.config;
    if (!check_all(actions, SOURCE_PERSON, error)) return false;
    char *before = state_text(&session->state, config, STATE_STEP);
    if (!before || !state_copy(&saved, &session->state, config)) {
        free(before);
        return error_set(error, "out of memory");
    }
    bool good = do_all(session, actions, first, &undoable, error);
    if (good) {
        state_free(&saved);
    } else {
        state_free(&session->state);
        session->state = saved;
    }
    if (good && undoable)
        remember(session, before, first, drag);
    else
        free(before);
    session->version++;
    return good;
}

bool session_apply(Session *session, const char *actions, Error *error) {
    return apply(session, actions, false, error);
}

bool session_drag(Session *session, const char *actions, Error *error) {
    return apply(session, actions, true, error);
}

/* --- undo ------------------------------------------------------------------------------------- */

/* What no recipe says, since it is not to be seen, stays: what is under the pointer, the companion
 * while it is off, and B's head while B is something else. */
static void keep_unseen(State *state, State *before) {
    if (!state->has_hover && before->has_hover && (state->companion || !before->hover_example)) {
        state->has_hover = true;
        state->hover = before->hover;
        state->hover_row = before->hover_row;
        state->hover_column = before->hover_column;
        state->hover_example = before->hover_example;
        state->hover_pair = before->hover_pair;
        state->hover_with = before->hover_with;
    }
    if (!state->companion) {
        StateExample companion = before->examples[1];
        before->examples[1] = state->examples[1];
        state->examples[1] = companion;
    }
    if (state->mode != COMPARE_HEADS) state->other_head = before->other_head;
}

/* Goes to the state of a recipe. */
static bool go_to(Session *session, const char *recipe, Source source, Error *error) {
    State now = session->state;
    if (!check_all(recipe, source, error)) return false;
    if (!state_copy(&session->state, &session->first, &session->model.config)) {
        session->state = now;
        return error_set(error, "out of memory");
    }
    char first[24];
    bool undoable = false;
    bool good = do_all(session, recipe, first, &undoable, error);
    if (good) {
        keep_unseen(&session->state, &now);
        state_free(&now);
    } else {
        state_free(&session->state);
        session->state = now;
    }
    session->version++;
    return good;
}

static bool restore(Session *session, const char *recipe, Source source, Error *error) {
    char *before = state_text(&session->state, &session->model.config, STATE_STEP);
    if (!before) return error_set(error, "out of memory");
    bool good = go_to(session, recipe, source, error);
    if (good)
        remember(session, before, "", false);
    else
        free(before);
    return good;
}

bool session_restore(Session *session, const char *recipe, Error *error) {
    return restore(session, recipe, SOURCE_RECIPE, error);
}

bool session_restore_picture(Session *session, const char *recipe, Error *error) {
    return restore(session, recipe, SOURCE_PICTURE, error);
}

/* Takes the newest recipe of `from`, and leaves the present one in `to`. */
static bool step_back(Session *session, History *from, History *to, Error *error) {
    char *recipe = history_pop(from);
    if (!recipe) return true;
    char *present = state_text(&session->state, &session->model.config, STATE_STEP);
    bool good =
        present ? go_to(session, recipe, SOURCE_RECIPE, error) : error_set(error, "out of memory");
    history_push(good ? to : from, good ? present : recipe);
    free(good ? recipe : present);
    session->last_verb[0] = '\0';
    return good;
}

bool session_undo(Session *session, Error *error) {
    return step_back(session, &session->undo, &session->redo, error);
}

bool session_redo(Session *session, Error *error) {
    return step_back(session, &session->redo, &session->undo, error);
}
