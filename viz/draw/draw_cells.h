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
    /* Instead of a trace: a matrix. */
    const float *values;         /* [*,columns] */
    const unsigned char *states; /* likewise, each a CellState; NULL: all CELL_VALUE */
    int columns;
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

/* Writes a cell's number: ".97", "1", "0", "−.30", "<.01"; with fewer decimals where the scale's
 * top is 10 and more. */
void cells_number(float value, float top, char *out, size_t size);

/* Whether a value is so small that its number would round to 0 without being 0. */
bool cells_is_tiny(float value);

/* Draws a number in the middle of a cell, or nothing where it does not fit. */
void draw_cell_number(Canvas *canvas, Rect cell, const char *number, float size, Color color);

/* A bar with the colours of a scale from one end to the other, in so many steps, framed. */
enum { RAMP_STEPS_MAX = 161 };
void draw_ramp(Canvas *canvas, const Theme *theme, Rect area, const CellScale *scale, int steps);

#endif
