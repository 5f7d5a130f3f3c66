/* What lies under the pointer, and what it drags; and the buttons, for the keyboard. */
#ifndef HEADSCOPE_APP_WINDOW_WINDOW_POINTER_H
#define HEADSCOPE_APP_WINDOW_WINDOW_POINTER_H

#include "app/window/window_state.h"

void window_pointer_moved(Window *window, float x, float y);
void window_pointer_left(Window *window);
void window_pointer_rested(Window *window);
void window_pointer_look(Window *window); /* what was drawn has changed beneath it */
void window_pointer_free(Window *window);

Spot window_spot(const Window *window); /* what lies under it */
void window_hide_tip(Window *window);
void window_grab(Window *window, DragKind kind, const Hit *hit);
void window_drag_on(Window *window);

/* Threshold of the lines, to thousandths, and the shown part of the large head; within bounds. */
void window_drag_threshold(Window *window, float threshold);
void window_drag_zoom(Window *window, float zoom, float left, float top);

/* The sequence that a hit is of; NULL: none. */
const ScreenSequence *window_hit_sequence(const Window *window, const Hit *hit);
bool window_is_source(const ScreenSequence *sequence);

/* The byte of that sequence's text at the pointer. */
size_t window_offset(const Window *window, const Hit *hit);

void window_button_next(Window *window, int by);
bool window_button_press(Window *window); /* false if the keyboard has come to none */
bool window_button_area(const Window *window, Rect *area);

#endif
