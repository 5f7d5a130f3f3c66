/* What the keys do: those of the table of keys, of the edited line and of the page of lessons. */
#ifndef HEADSCOPE_APP_WINDOW_WINDOW_KEYBOARD_H
#define HEADSCOPE_APP_WINDOW_WINDOW_KEYBOARD_H

#include "app/window/window_state.h"

void window_key(Window *window, const SDL_KeyboardEvent *event);

/* The area of the button that has the keyboard's focus; false if none has it. */
bool window_focused_button(const Window *window, Rect *area);

#endif
