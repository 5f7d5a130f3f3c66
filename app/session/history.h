/* A stack of states: what undo and redo go back and forth over. */
#ifndef HEADSCOPE_APP_SESSION_HISTORY_H
#define HEADSCOPE_APP_SESSION_HISTORY_H

#include "app/pass/state.h"

typedef struct History {
    State *states; /* [count], owned */
    int count, capacity;
} History;

/* Takes the state over and leaves *state empty; frees it if memory ends, which is false. */
bool history_push(History *history, State *state);

/* The newest state, now the caller's; false if there is none. */
bool history_pop(History *history, State *state);

void history_clear(History *history); /* {0} is fine; leaves it empty */

#endif
