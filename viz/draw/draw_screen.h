/* Draws the whole window. */
#ifndef HEADSCOPE_VIZ_DRAW_DRAW_SCREEN_H
#define HEADSCOPE_VIZ_DRAW_DRAW_SCREEN_H

#include "viz/canvas/canvas.h"
#include "viz/layout/hits.h"
#include "viz/scene/screen.h"

/* Draws a window of this size in logical pixels. Clears `hits` and fills it with what is where. */
void draw_screen(Canvas *canvas, const Screen *screen, float width, float height, HitList *hits);

#endif
