/* Where the parts of one map stand in the window. For the drawing of maps. */
#ifndef HEADSCOPE_VIZ_DRAW_MAP_PLACE_H
#define HEADSCOPE_VIZ_DRAW_MAP_PLACE_H

#include "viz/draw/paint.h"

/* The labels along one side of a map. */
typedef struct MapAxis {
    float size;  /* of the font; 0: no labels */
    int step;    /* each how-many-th token has its label */
    float room;  /* from the cells to the far end of the labels, the gap to the cells included */
    float limit; /* a label is at most so long */
    bool turned; /* columns: tokens of several characters are turned */
} MapAxis;

typedef struct MapPlace {
    Rect title;          /* empty where there is none */
    Rect cells;          /* the cells on show, also those that the trace lacks */
    float width, height; /* of one, zoomed */
    int first_row, first_column, rows, columns; /* on show */
    float shift_x, shift_y; /* so much of the first ones is cut off at the left and top */
    MapAxis row_axis, column_axis;
} MapPlace;

MapPlace map_place(Paint *paint, Rect area, const ScreenMap *map, MapLook look);

#endif
