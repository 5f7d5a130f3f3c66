/* What is under the pointer, and what it drags. */
#ifndef HEADSCOPE_APP_WINDOW_WINDOW_POINTER_H
#define HEADSCOPE_APP_WINDOW_WINDOW_POINTER_H

#include "app/window/window_state.h"

void window_pointer_moved(Window *window, float x, float y);
void window_pointer_left(Window *window);
void window_pointer_rested(Window *window);
void window_pointer_look(Window *window); /* after drawing: updates hover and cursor */
void window_pointer_free(Window *window);

Spot window_spot(const Window *window); /* what is under it */
void window_hide_tip(Window *window);
void window_grab(Window *window, DragKind kind, const Hit *hit);
void window_drag_on(Window *window);

/* Set, clamped to their bounds, the threshold of the lines (rounded to thousandths) and the visible
 * part of the large head. */
void window_drag_threshold(Window *window, float threshold);
void window_drag_zoom(Window *window, float zoom, float left, float top);

/* The sequence that a hit belongs to; NULL: none. */
const ScreenSequence *window_hit_sequence(const Window *window, const Hit *hit);
bool window_is_source(const ScreenSequence *sequence);

/* The byte offset of the pointer in that sequence's text. */
size_t window_offset(const Window *window, const Hit *hit);

#endif
