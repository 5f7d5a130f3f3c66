/* Draws the cells of one map, in sheets and in the window. */
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
    const Trace *minus; /* subtracted; NULL: nothing */
    HeadId minus_id;
    /* If there is no trace: a matrix. */
    const float *values;         /* [*,columns] */
    const unsigned char *states; /* [*,columns], each a CellState; NULL: all CELL_VALUE */
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

/* Draws the values in one call, hairlines if cells are large enough, and then the cells without a
 * value. */
void draw_cells(Canvas *canvas, const Theme *theme, const CellSource *source, const CellGrid *grid,
                const CellScale *scale);

/* Draws only the values, for thumbnails. Returns nonzero if a cell is missing or not a number:
 * among the cells drawn or, on a raster, anywhere in the map. */
int draw_cell_values(Canvas *canvas, const Theme *theme, const CellSource *source,
                     const CellGrid *grid, const CellScale *scale);

/* Draws a cell without a value: hatched if masked, crossed out if not a number, empty if missing.
 */
void draw_cell_state(Canvas *canvas, const Theme *theme, Rect cell, CellState state);

/* The colour of a value. */
Color cells_color(const CellScale *scale, const Theme *theme, float value);

/* Writes the number of a cell: ".97", "1", "0", "−.30", "<.01"; with fewer decimals if the scale's
 * top is 10 or more. */
void cells_number(float value, float top, char *out, size_t size);

/* True if the value is not 0 but its number would round to 0. */
bool cells_is_tiny(float value);

/* Draws a number in the middle of a cell; nothing if it does not fit. */
void draw_cell_number(Canvas *canvas, Rect cell, const char *number, float size, Color color);

/* Draws a framed bar with the colours of a scale in `steps` steps (at most RAMP_STEPS_MAX). */
enum { RAMP_STEPS_MAX = 161 };
void draw_ramp(Canvas *canvas, const Theme *theme, Rect area, const CellScale *scale, int steps);

#endif
