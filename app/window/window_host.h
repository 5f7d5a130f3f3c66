/* What a session asks of its window: files, the clipboard, playing, another model. */
#ifndef HEADSCOPE_APP_WINDOW_WINDOW_HOST_H
#define HEADSCOPE_APP_WINDOW_WINDOW_HOST_H

#include "app/window/window_state.h"

SessionHost window_host(Window *window);

/* Opens a model or the state of a picture. */
bool window_open(Window *window, const char *path, Error *error);

/* B of a comparison is of the model in this file. */
void window_against_model(Window *window, const char *path);

/* What is drawn besides the state; `passing` with notice and tip. */
ScreenExtra window_extra(Window *window, bool passing);

#endif
