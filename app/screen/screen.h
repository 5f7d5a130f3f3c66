/* The session as a screen: everything that the window and a picture of it show, as plain data. */
#ifndef HEADSCOPE_APP_SCREEN_SCREEN_H
#define HEADSCOPE_APP_SCREEN_SCREEN_H

#include "app/session/session.h"
#include "viz/scene/screen.h"

/* What the window adds to the session: nothing of it is stored in a recipe. */
typedef struct ScreenExtra {
    int editing;      /* the ScreenLine that has the caret; -1: none */
    const char *text; /* the text being edited there */
    int caret, anchor;
    const char *composing;
    const char *prompt; /* an action being typed (after `:`); NULL: none */
    int prompt_caret;
    const char *notice; /* NULL: none */
    bool notice_alarm;
    const char *tip;
    float pointer_x, pointer_y;
    bool playing;
    const ScreenTrain *train; /* NULL: no training runs */
} ScreenExtra;

/* Refreshes the session (session_refresh), once a frame, and returns its screen, which is valid
 * until the session changes or the next call. NULL with *error if memory is exhausted. */
const Screen *screen_build(Session *session, const ScreenExtra *extra, Error *error);

/* The weights of the selected head as text: one line for each query, values separated by tabs, with
 * the tokens of both axes. Of the current pass: call session_refresh first. A new string (free it);
 * NULL if there is no pass, or memory is exhausted. */
char *screen_matrix_text(const Session *session);

#endif
