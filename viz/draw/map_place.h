/* Where the parts of one map stand in the window, and how large its cells can be. */
#ifndef HEADSCOPE_VIZ_DRAW_MAP_PLACE_H
#define HEADSCOPE_VIZ_DRAW_MAP_PLACE_H

#include "viz/draw/paint.h"
#include "viz/layout/axis_plan.h"

typedef struct MapStyle {
    bool title;            /* with its title line and frame */
    bool labels;           /* with tokens on both axes */
    bool numbers;          /* weights written into cells that are large enough */
    bool tiny;             /* also those that are next to nothing */
    float zoom, left, top; /* the part shown; zoom 0: all of it */
    bool focus;            /* its hits are HIT_FOCUS */
    float cell;       /* the size of a cell, so that maps side by side agree; 0: as large as fits */
    float wide, tall; /* the width and height of a cell in multiples of `cell`; 0: 1 */
} MapStyle;

typedef struct MapPlace {
    Rect title;          /* empty where there is none */
    Rect cells;          /* the cells on show, also those that the trace lacks */
    float width, height; /* of one, zoomed */
    int first_row, first_column, rows, columns; /* on show */
    float shift_x, shift_y; /* how much of the first row and column is cut off */
    AxisPlan row_axis, column_axis;
} MapPlace;

/* Places a map of this style in `area`. */
MapPlace map_place(Paint *paint, Rect area, const ScreenMap *map, MapStyle style);

/* The largest cell with which the map fits into `area`. */
float map_cell_max(Paint *paint, Rect area, const ScreenMap *map, MapStyle style);

/* The part of `area`, from its corner, that the map needs; style.cell 0: with cells as large as
 * fit. */
Rect map_room(Paint *paint, Rect area, const ScreenMap *map, MapStyle style);

/* How many times as wide, or as high, the cells (style.cell is set) could be in `area` if `kept` of
 * the spare room stays free; at most 2. */
float map_stretch(Paint *paint, Rect area, const ScreenMap *map, MapStyle style, bool wide,
                  float kept);

/* `stretch` lowered so that stretched cells are whole pixels large; at least 1. */
float map_stretch_whole(float cell, float stretch);

#endif
