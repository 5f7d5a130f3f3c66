/* The layout of one map in the window, and how large its cells can be. */
#ifndef HEADSCOPE_VIZ_DRAW_MAP_PLACE_H
#define HEADSCOPE_VIZ_DRAW_MAP_PLACE_H

#include "viz/draw/paint.h"
#include "viz/layout/axis_plan.h"

typedef struct MapStyle {
    bool title;            /* with title line and frame */
    bool labels;           /* with tokens along both axes */
    bool numbers;          /* weights written into cells that are large enough */
    bool tiny;             /* also the smallest weights */
    float zoom, left, top; /* the visible part; zoom 0: all */
    bool focus;            /* its hits are HIT_FOCUS */
    float cell;       /* the size of a cell, to be shared by several maps; 0: as large as fits */
    float wide, tall; /* the width and height of a cell in multiples of `cell`; 0: 1 */
} MapStyle;

typedef struct MapPlace {
    Rect title;          /* empty if there is none */
    Rect cells;          /* all visible cells, also those that are not in the trace */
    float width, height; /* of a zoomed cell */
    int first_row, first_column, rows, columns; /* the visible ones */
    float shift_x, shift_y; /* how much of the first row and column is cut off */
    AxisPlan row_axis, column_axis;
} MapPlace;

/* Places a map of this style in `area`. */
MapPlace map_place(Paint *paint, Rect area, const ScreenMap *map, MapStyle style);

/* The largest cell with which the map fits into `area`. */
float map_cell_max(Paint *paint, Rect area, const ScreenMap *map, MapStyle style);

/* The part of `area`, from its upper left corner, that the map needs; with the largest cells that
 * fit if style.cell is 0. */
Rect map_room(Paint *paint, Rect area, const ScreenMap *map, MapStyle style);

/* The factor by which the cells can be widened, or heightened, in `area`, leaving `kept` pixels
 * free; at most 2. style.cell must be set. */
float map_stretch(Paint *paint, Rect area, const ScreenMap *map, MapStyle style, bool wide,
                  float kept);

/* Returns `stretch`, lowered so that stretched cells are whole pixels; at least 1. */
float map_stretch_whole(float cell, float stretch);

#endif
