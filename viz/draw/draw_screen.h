/* The whole window. */
#ifndef HEADSCOPE_VIZ_DRAW_DRAW_SCREEN_H
#define HEADSCOPE_VIZ_DRAW_DRAW_SCREEN_H

#include "viz/canvas/canvas.h"
#include "viz/layout/hits.h"
#include "viz/scene/screen.h"

/* Draws a window of this size in logical pixels. What lies where is written to `hits`, which is
 * cleared first. */
void draw_screen(Canvas *canvas, const Screen *screen, float width, float height, HitList *hits);

#endif
