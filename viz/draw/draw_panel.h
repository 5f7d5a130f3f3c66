/* One head: its name, its tokens, its cells. */
#ifndef HEADSCOPE_VIZ_DRAW_DRAW_PANEL_H
#define HEADSCOPE_VIZ_DRAW_DRAW_PANEL_H

#include "viz/canvas/canvas.h"
#include "viz/layout/layout.h"

/* Draws the panel of that index. */
void draw_panel(Canvas *canvas, const Scene *scene, const Layout *layout, int panel);

/* Draws a text of the layout in the theme's colours. */
void draw_text(Canvas *canvas, const Theme *theme, const LayoutText *text);

#endif
