/* The cells of one map: what sheets and the window draw alike. */
#ifndef HEADSCOPE_VIZ_DRAW_DRAW_CELLS_H
#define HEADSCOPE_VIZ_DRAW_DRAW_CELLS_H

#include "model/trace/trace.h"
#include "viz/canvas/canvas.h"
#include "viz/canvas/theme.h"

/* A map of a trace, the difference of two of the same size, or a matrix. In a difference, a cell is
 * masked only where both maps mask it (a masked weight counts as 0), and missing or not a number
 * where either is. */
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

/* Which cells are drawn, and where: cell (first_row, first_column) has its corner at (x,y). */
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

/* Draws the values in one call, then hairlines where cells are large enough, then the cells that
 * are no value. */
void draw_cells(Canvas *canvas, const Theme *theme, const CellSource *source, const CellGrid *grid,
                const CellScale *scale);

/* Draws the values alone, for thumbnails. Returns whether there are cells that are missing or not a
 * number: among those drawn, or on a raster anywhere in the map. */
int draw_cell_values(Canvas *canvas, const Theme *theme, const CellSource *source,
                     const CellGrid *grid, const CellScale *scale);

/* Draws a cell that is no value: hatched where masked, crossed where not a number, empty where
 * missing. */
void draw_cell_state(Canvas *canvas, const Theme *theme, Rect cell, CellState state);

/* The colour of a value. */
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
