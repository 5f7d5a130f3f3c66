/* What a press of the pointer and its wheel do. */
#ifndef HEADSCOPE_APP_WINDOW_WINDOW_PRESS_H
#define HEADSCOPE_APP_WINDOW_WINDOW_PRESS_H

#include "app/window/window_state.h"

void window_pointer_pressed(Window *window, const SDL_MouseButtonEvent *event);
void window_pointer_released(Window *window);
void window_pointer_wheel(Window *window, float up);

/* Tells the weight of a cell beside the maps, or lets go of the one that is told; `whole`: opens
 * its page. */
void window_tell_cell(Window *window, HeadId id, int example, int row, int column, bool whole);

#endif
