/* Named states that a talk steps through: a text file with a line for each, `name: actions` or the
 * actions alone. Empty lines and lines that begin with # are passed over. */
#ifndef HEADSCOPE_APP_WINDOW_WINDOW_SCRIPT_H
#define HEADSCOPE_APP_WINDOW_WINDOW_SCRIPT_H

#include "app/session/session.h"
#include "app/window/settings.h"

typedef struct ScriptState {
    const char *name; /* "" for none */
    const char *actions;
} ScriptState;

typedef struct WindowScript {
    ScriptState *states; /* [count], owned */
    int count;
    char *text; /* owned: what the strings point into */
} WindowScript;

/* Reads a script. ERROR_USAGE for one without a state. */
bool script_read(WindowScript *script, const char *path, Error *error);
void script_free(WindowScript *script); /* {0} is fine */

/* Puts state `index` in place, from the first state of the model; the looks are those of `looks`
 * unless the state says others. */
bool script_go(const WindowScript *script, int index, const Settings *looks, Session *session,
               Error *error);

/* Whether the session can go to all of them. It is left in the last. */
bool script_check(const WindowScript *script, const Settings *looks, Session *session,
                  Error *error);

#endif
