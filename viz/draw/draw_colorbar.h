/* The one colour scale of a sheet and its legend. */
#ifndef HEADSCOPE_VIZ_DRAW_DRAW_COLORBAR_H
#define HEADSCOPE_VIZ_DRAW_DRAW_COLORBAR_H

#include "viz/canvas/canvas.h"
#include "viz/layout/layout.h"

void draw_colorbar(Canvas *canvas, const Scene *scene, const Layout *layout);

#endif
