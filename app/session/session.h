/* The live session: one model, what a person has chosen (State), and what follows from it. Actions
 * are the only way to change it; no SDL here. What must be drawn or done outside
 * (saving a picture, training, the clipboard) it asks of its host. */
#ifndef HEADSCOPE_APP_SESSION_SESSION_H
#define HEADSCOPE_APP_SESSION_SESSION_H

#include "app/pass/pass.h"
#include "app/pass/state.h"
#include "app/session/action.h"
#include "data/models/checkpoint.h"

typedef struct Session Session;

/* What a session cannot do by itself: the verbs from VERB_SAVE to VERB_QUIT. Their argument is the
 * text, NULL for none. */
typedef struct SessionHost {
    bool (*act)(void *context, const Action *action, Error *error);
    void *context;
} SessionHost;

/* A session on a model, which becomes the session's (and is left empty). `path` is the file it came
 * from; "" for none. The first input is the sample of the model's task. NULL with *error for lack
 * of memory; the model is then freed. Free with session_free. */
Session *session_make(Model *model, const char *path, Error *error);
void session_free(Session *session); /* NULL is fine */
void session_set_host(Session *session, SessionHost host);

/* Does the actions, all of them or (false, with *error) none; what the host has done by then stays.
 * Together they are one step of undo. What lies under the pointer (VERB_HOVER) and undo itself,
 * which stands alone, are none. A text that the model cannot read is no error here: see
 * session_problem. */
bool session_apply(Session *session, const Action *actions, int count, Error *error);

/* Of a single one. */
bool session_apply_one(Session *session, Action action, Error *error);

/* The same of actions in their text form. ERROR_USAGE also for what cannot be read. */
bool session_apply_text(Session *session, const char *actions, Error *error);

/* As session_apply, but joined to the step of undo before if that was a drag with the same first
 * verb: for typing and for dragging. */
bool session_drag(Session *session, const Action *actions, int count, Error *error);

/* The next session_drag begins a step of its own. */
void session_end_drag(Session *session);

/* Undo ends at the present state, redo too. */
void session_forget_steps(Session *session);

/* Brings everything that is on show up to date with the state, once a frame: runs the model where
 * that is needed, and makes anew what is derived from its pass. What is shown keeps to the last
 * state that could be run; session_problem tells why. */
void session_refresh(Session *session);

/* The same on another thread, for a model that takes longer than a frame: begin, run (on any
 * thread, while the session goes on with what it has), end. In between the session runs no model
 * itself, and its weights must not change (session_take_params). */
typedef struct SessionWork SessionWork;

/* NULL if everything is up to date, or memory ends. */
SessionWork *session_work_begin(Session *session);
void session_work_run(SessionWork *work);
void session_work_end(Session *session, SessionWork *work);

/* Milliseconds that the model took for what is on show. */
double session_pass_ms(const Session *session);

/* Why the present texts cannot be run, in one line; NULL if they can. */
const char *session_problem(const Session *session);

const State *session_state(const Session *session);
const Model *session_model(const Session *session);
const char *session_path(const Session *session);
const Pass *session_pass(const Session *session); /* the shown pass; count 0: none yet */
int session_example(const Session *session); /* the edited example if the pass has it, else 0 */

/* The model, as it is now, is in the file `path`, whose hash this is. Other weights
 * (session_take_params) make it one of no file again. False, with all as it was, for lack of
 * memory. */
bool session_name(Session *session, const char *path, const char *hash, Error *error);

/* Rises with each change of what there is to show. */
unsigned long session_version(const Session *session);

/* The recipe of the present state, what is under the pointer included: a new string (free it). NULL
 * for lack of memory. */
char *session_recipe(const Session *session);

/* The same for a picture that others may get: without what names a file (`against model`, the words
 * of a lesson about one). */
char *session_picture_recipe(const Session *session);

/* Puts the state of a recipe in place, as one step of undo. What is not to be seen in a recipe
 * (under the pointer, the companion while it is off) stays. ERROR_USAGE for one that asks something
 * of the host; session_restore_picture, for a stranger's, also for one that names a file. */
bool session_restore(Session *session, const char *recipe, Error *error);
bool session_restore_picture(Session *session, const char *recipe, Error *error);

/* As session_restore, after actions that the recipe may overrule. */
bool session_restore_after(Session *session, const Action *actions, int count, const char *recipe,
                           Error *error);

/* Weights other than the model's own, while it is being trained: copies them in ([count] as the
 * model's). The maps follow. */
void session_take_params(Session *session, const real *block);

/* One entry of the list of actions, for help; NULL past the last. */
typedef struct ActionHelp {
    const char *verb, *arguments, *help;
} ActionHelp;
const ActionHelp *session_action_help(int index);

#endif
