/* The shown session: running its model on another thread, replacing it, and stepping it: through
 * the decoder's steps by itself, and through the states of a script. */
#ifndef HEADSCOPE_APP_WINDOW_WINDOW_SESSION_H
#define HEADSCOPE_APP_WINDOW_WINDOW_SESSION_H

#include "app/window/window_state.h"

/* A model that takes longer than a frame runs on another thread, while the window shows its last
 * pass. window_work_end waits for it. */
void window_work_begin(Window *window);
void window_work_end(Window *window);

/* Shows another session; returns the one shown before (NULL: none). */
Session *window_swap(Window *window, Session *session);

/* Records that the shown model is now in this file. */
bool window_saved(Window *window, const char *path, const char *hash, Error *error);

/* Starts or stops playing the decoder's steps; window_step_played does the next one. */
void window_play(Window *window, bool on);
void window_step_played(Window *window, Moment now);

/* Goes to the next (1) or previous (-1) state of the script; without a script, to the next or
 * previous snapshot. */
void window_step_script(Window *window, int by);

#endif
