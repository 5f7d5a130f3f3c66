/* What the keys do: those of the table, or of the line that is edited. */
#ifndef HEADSCOPE_APP_WINDOW_WINDOW_KEYBOARD_H
#define HEADSCOPE_APP_WINDOW_WINDOW_KEYBOARD_H

#include "app/window/window_state.h"

void window_key(Window *window, const SDL_KeyboardEvent *event);

#endif
