/* The session on show: running its model, and putting another in its place. */
#ifndef HEADSCOPE_APP_WINDOW_WINDOW_SESSION_H
#define HEADSCOPE_APP_WINDOW_WINDOW_SESSION_H

#include "app/window/window_state.h"

/* A model that takes longer than a frame runs on another thread; the window goes on with what it
 * has. The end waits for it. */
void window_work_begin(Window *window);
void window_work_end(Window *window);

/* Another session takes the place of the one on show, which is given back (NULL: there was none).
 */
Session *window_swap(Window *window, Session *session);

/* The model on show is in this file now. */
bool window_saved(Window *window, const char *path, const char *hash, Error *error);

#endif
