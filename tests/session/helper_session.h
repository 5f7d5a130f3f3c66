/* A tiny model, and a session on it. A failure ends the test. */
#ifndef TESTS_SESSION_HELPER_SESSION_H
#define TESTS_SESSION_HELPER_SESSION_H

#include <stddef.h>

#include "app/session/session.h"

/* {0}: letters and digits, 2+2 layers, texts of 16, of no task. */
typedef struct HelperModel {
    const char *characters; /* of both vocabularies; NULL: letters, then digits */
    const char *task;       /* NULL: none */
    int layers;             /* of encoder and decoder each */
    int longest;            /* text in characters, without the end mark */
    uint64_t seed;          /* of the weights, which are as before training, and moved a little */
} HelperModel;

Model helper_model(HelperModel wish); /* width 8, 2 heads */
Session *helper_session(HelperModel wish);

/* The pass of the state as it is: session_pass after session_refresh. */
const Pass *helper_session_pass(Session *session);

/* Does the actions. */
void helper_apply(Session *session, const char *actions);

/* The same as a drag (session_drag); all are read in the state as it is. False with *error. */
bool helper_drag(Session *session, const char *actions, Error *error);

/* They must be refused: ERROR_USAGE, one line that holds `named`, and the state as it was. */
void helper_refuse(Session *session, const char *actions, const char *named);

/* The recipe of the state is this one. */
void helper_recipe_is(Session *session, const char *recipe);

/* Actions, and what is to follow. */
typedef struct HelperStep {
    const char *actions, *wanted;
} HelperStep;

/* Each, one verb after the other, on a session of its own ({0}, which first reads "a"), leads to a
 * state with the recipe `wanted`; and the undo of them all leads back. */
void helper_steps(const HelperStep *steps, size_t count);

/* Each is refused as a whole, with a message that names `wanted`. */
void helper_refusals(const HelperStep *refused, size_t count);

#endif
