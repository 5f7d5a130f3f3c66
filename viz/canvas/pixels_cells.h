/* Maps of numbers on pixels: each value is read once, each row of pixels is made once. */
#ifndef HEADSCOPE_VIZ_CANVAS_PIXELS_CELLS_H
#define HEADSCOPE_VIZ_CANVAS_PIXELS_CELLS_H

#include "viz/canvas/canvas.h"
#include "viz/canvas/pixels.h"

/* Draws the map as canvas_cells says, `scale` device pixels for a logical one; a cell's edges fall
 * on whole pixels. False with *error for lack of memory. */
bool pixels_cells(const Pixels *pixels, const CellMap *map, float scale, Error *error);

#endif
