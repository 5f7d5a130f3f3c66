/* Where the parts of one map stand in the window. For the drawing of maps. */
#ifndef HEADSCOPE_VIZ_DRAW_MAP_PLACE_H
#define HEADSCOPE_VIZ_DRAW_MAP_PLACE_H

#include "viz/draw/paint.h"
#include "viz/layout/axis_plan.h"

typedef struct MapPlace {
    Rect title;          /* empty where there is none */
    Rect cells;          /* the cells on show, also those that the trace lacks */
    float width, height; /* of one, zoomed */
    int first_row, first_column, rows, columns; /* on show */
    float shift_x, shift_y; /* so much of the first ones is cut off at the left and top */
    AxisPlan row_axis, column_axis;
} MapPlace;

MapPlace map_place(Paint *paint, Rect area, const ScreenMap *map, MapStyle style);

#endif
