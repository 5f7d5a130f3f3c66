/* What pressing the pointer and turning its wheel do. */
#ifndef HEADSCOPE_APP_WINDOW_WINDOW_PRESS_H
#define HEADSCOPE_APP_WINDOW_WINDOW_PRESS_H

#include "app/window/window_state.h"

void window_pointer_pressed(Window *window, const SDL_MouseButtonEvent *event);
void window_pointer_released(Window *window);
void window_pointer_wheel(Window *window, float up);

/* Scrolls the page of the lesson by a number of lines or, without `lines`, of its visible heights.
 */
void window_lesson_scroll(Window *window, float by, bool lines);

/* Explains the weight of a cell beside the maps, or hides that explanation; with `whole`, opens the
 * lesson about it. */
void window_explain_cell(Window *window, HeadId id, int example, int row, int column, bool whole);

#endif
