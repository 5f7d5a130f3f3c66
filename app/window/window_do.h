/* Doing actions, and saying what came of it. */
#ifndef HEADSCOPE_APP_WINDOW_WINDOW_DO_H
#define HEADSCOPE_APP_WINDOW_WINDOW_DO_H

#include "app/window/window_state.h"

/* Does one action; a failure becomes the notice. */
bool window_do(Window *window, Action action);

/* The same joined to the last one of its kind: typing, dragging. */
bool window_drag(Window *window, Action action);

/* Does several together, as one step of undo. */
bool window_do_all(Window *window, const Action *actions, int count);

/* Does actions in their text form, which may belong to the screen. */
bool window_do_text(Window *window, const char *actions);

void window_tell(Window *window, const char *format, ...) __attribute__((format(printf, 2, 3)));
void window_warn(Window *window, const char *text);
void window_hint(Window *window, const char *text); /* stays until something is done */
void window_user_acted(Window *window);             /* takes the notice away */

#endif
