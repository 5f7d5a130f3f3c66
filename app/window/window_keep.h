/* Writing down the state and the settings as they change, so that they are there again after
 * whatever end: closing the window, a lost display, a crash. */
#ifndef HEADSCOPE_APP_WINDOW_WINDOW_KEEP_H
#define HEADSCOPE_APP_WINDOW_WINDOW_KEEP_H

#include "app/window/window_state.h"

/* What a person has changed of the looks since goes into the settings; the present ones are the
 * session's own, and no change. */
void window_note_looks(Window *window);
void window_see_looks(Window *window);

/* The looks of the last session on show, given to another. */
void window_look_as_set(Window *window, Session *session);

void window_keep_look(Window *window, Moment now);
void window_keep_now(Window *window);
void window_keep_open(Window *window); /* also kept if the program ends by itself: a lost display */
void window_keep_close(Window *window);

#endif
