/* The lines that can be typed into: the sequences, and an action. */
#ifndef HEADSCOPE_APP_WINDOW_WINDOW_LINE_H
#define HEADSCOPE_APP_WINDOW_WINDOW_LINE_H

#include "app/window/window_state.h"

/* Begins to edit a line with the caret at a byte of it. LINE_END: at its end, but at the beginning
 * of a target that the model writes. */
enum { LINE_END = EDITOR_MAX };
void window_line_begin(Window *window, ScreenLine line, size_t caret);
void window_line_point(Window *window, size_t offset, bool select); /* moves the caret */
void window_line_end(Window *window);
void window_line_follow(Window *window);                                 /* the state changed */
bool window_line_key(Window *window, SDL_Keycode symbol, int modifiers); /* whether it took it */
void window_line_text(Window *window, const char *text);
void window_line_compose(Window *window, const char *text);
void window_line_place(Window *window); /* tells input methods where the caret is */
void window_line_free(Window *window);
void window_prompt_begin(Window *window);
bool window_is_typing(const Window *window);

#endif
