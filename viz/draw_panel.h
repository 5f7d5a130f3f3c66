/* One head: its name, its tokens, its cells. */
#ifndef HEADSCOPE_VIZ_DRAW_PANEL_H
#define HEADSCOPE_VIZ_DRAW_PANEL_H

#include "viz/canvas.h"
#include "viz/layout.h"

/* Draws the panel of that index. */
void draw_panel(Canvas *canvas, const Scene *scene, const Layout *layout, int panel);

/* Draws what a cell that is no value looks like: hatched where masked, a cross where it is not a
 * number, empty where it is missing. */
void draw_cell_state(Canvas *canvas, const Theme *theme, Rect cell, CellState state);

/* Draws a text of the layout in the theme's colours. */
void draw_text(Canvas *canvas, const Theme *theme, const LayoutText *text);

#endif
