/* The sheet of a scene: the one way from a scene to a picture, on any canvas. */
#ifndef HEADSCOPE_VIZ_DRAW_DRAW_SHEET_H
#define HEADSCOPE_VIZ_DRAW_DRAW_SHEET_H

#include "viz/canvas/canvas.h"
#include "viz/layout/layout.h"

/* Draws everything. canvas_ok tells whether it could. */
void viz_draw(Canvas *canvas, const Scene *scene, const Layout *layout);

#endif
