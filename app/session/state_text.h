/* The recipe of a state: the actions that lead to it from the first state of its model, as text. */
#ifndef HEADSCOPE_APP_SESSION_STATE_TEXT_H
#define HEADSCOPE_APP_SESSION_STATE_TEXT_H

#include "app/pass/state.h"

typedef enum StateText {
    STATE_STEP,    /* for a step of undo: without what is under the pointer */
    STATE_SHOWN,   /* the state as it is shown */
    STATE_PICTURE, /* as shown, for a picture that others may get: names none of your files */
} StateText;

/* A new string (free it); NULL for lack of memory. */
char *state_text(const State *state, const Config *config, StateText what);

#endif
