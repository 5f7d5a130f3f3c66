/* The cells of one map: what sheets and the window draw alike. */
#ifndef HEADSCOPE_VIZ_DRAW_DRAW_CELLS_H
#define HEADSCOPE_VIZ_DRAW_DRAW_CELLS_H

#include "model/trace/trace.h"
#include "viz/canvas/canvas.h"
#include "viz/canvas/theme.h"

/* A map, or the difference of two of the same size. In a difference only what both mask is masked:
 * where one of them masks a cell, its weight there is 0, and that difference is shown. A cell that
 * is missing or not a number in one is so in the difference. */
typedef struct CellSource {
    const Trace *trace;
    HeadId id;
    const Trace *minus; /* NULL: no difference */
    HeadId minus_id;
} CellSource;

/* Which cells, and where: cell (first_row, first_column) has its corner at (x,y). */
typedef struct CellGrid {
    float x, y;
    float width, height; /* of a cell */
    int first_row, first_column, rows, columns;
} CellGrid;

/* The colours of values. */
typedef struct CellScale {
    float top; /* diverging: -top to top */
    ColorMap colormap;
    bool diverging;
} CellScale;

/* The value of one cell (0 where masked) and its state. */
float cells_value(const CellSource *source, int row, int column, CellState *state);

/* How many cells of a row are not masked. */
int cells_seen(const CellSource *source, int row);

/* The rectangle of one cell of the map, without hairlines. */
Rect cells_place(const CellGrid *grid, int row, int column);

/* Values, then the hairlines between them (where cells are large enough), then what is no value:
 * hatched where masked, crosses where not a number. The values go in one call. */
void draw_cells(Canvas *canvas, const Theme *theme, const CellSource *source, const CellGrid *grid,
                const CellScale *scale);

/* The values alone: for thumbnails, on a ground of the caller's. Returns whether cells are
 * missing or not a number (in pixels: anywhere in the map). */
int draw_cell_values(Canvas *canvas, const Theme *theme, const CellSource *source,
                     const CellGrid *grid, const CellScale *scale);

/* What a cell that is no value looks like: hatched where masked, a cross where it is not a number,
 * empty where it is missing. */
void draw_cell_state(Canvas *canvas, const Theme *theme, Rect cell, CellState state);

/* The colour that a value has. */
Color cells_color(const CellScale *scale, const Theme *theme, float value);

#endif
