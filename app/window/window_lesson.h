/* The page of lessons under keys and wheel. */
#ifndef HEADSCOPE_APP_WINDOW_WINDOW_LESSON_H
#define HEADSCOPE_APP_WINDOW_WINDOW_LESSON_H

#include "app/window/window_state.h"

/* Moves the page by so many of its own heights or, with `lines`, of lines of text. */
void window_lesson_scroll(Window *window, float by, bool lines);

/* Whether a key is one of the page's own, and what it then does. */
bool window_lesson_key(Window *window, SDL_Keycode symbol, int modifiers);

/* Whether what a key does can be seen there. */
bool window_lesson_takes(const Window *window, const Key *key);

#endif
