#include "viz/draw/draw_cells.h"

#include "model/base/floats.h"
#include "model/base/minmax.h"
#include "viz/layout/layout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static CellState worse_state(CellState one, CellState other) {
    if (one == CELL_MISSING || other == CELL_MISSING) return CELL_MISSING;
    if (one == CELL_NAN || other == CELL_NAN) return CELL_NAN;
    return one == CELL_MASKED ? other : one;
}

static float matrix_value(const CellSource *source, int row, int column, CellState *state) {
    size_t at = (size_t)row * (size_t)source->columns + (size_t)column;
    *state = source->states ? (CellState)source->states[at] : CELL_VALUE;
    if (*state == CELL_VALUE && !isfinite(source->values[at])) *state = CELL_NAN;
    return source->values[at];
}

float cells_value(const CellSource *source, int row, int column, CellState *state) {
    if (source->values) return matrix_value(source, row, column, state);
    float value = trace_cell(source->trace, source->id, row, column, state);
    if (!source->minus) return value;
    CellState other;
    float minus = trace_cell(source->minus, source->minus_id, row, column, &other);
    *state = worse_state(*state, other);
    return value - minus;
}

/* Returns how many leading cells of a row are not masked; all for a matrix, which may mask any
 * cell. */
static int cells_seen(const CellSource *source, int row) {
    if (source->values) return source->columns;
    int seen = trace_key_len(source->trace, source->id, row);
    if (!source->minus) return seen;
    int other = trace_key_len(source->minus, source->minus_id, row);
    return int_max(other, seen);
}

Rect cells_place(const CellGrid *grid, int row, int column) {
    return (Rect){grid->x + (float)(column - grid->first_column) * grid->width,
                  grid->y + (float)(row - grid->first_row) * grid->height,
                  grid->width - layout_hairline(grid->width),
                  grid->height - layout_hairline(grid->height)};
}

static CellMap map_of(const CellScale *scale, const Theme *theme) {
    return (CellMap){.top = scale->top,
                     .colormap = scale->colormap,
                     .diverging = scale->diverging,
                     .middle = theme->middle};
}

Color cells_color(const CellScale *scale, const Theme *theme, float value) {
    CellMap map = map_of(scale, theme);
    return canvas_cell_color(&map, canvas_cell_entry(&map, value));
}

bool cells_is_tiny(float value) {
    return value != 0 && fabsf(value) < 0.005F;
}

void cells_number(float value, float top, char *out, size_t size) {
    if (value == 0 || cells_is_tiny(value)) {
        snprintf(out, size, "%s", value == 0 ? "0" : value > 0 ? "<.01" : ">−.01");
        return;
    }
    char digits[48];
    snprintf(digits, sizeof digits, "%.*f",
             top >= 100  ? 0
             : top >= 10 ? 1
                         : 2,
             (double)fabsf(value));
    const char *shown = digits[0] == '0' && digits[1] == '.' ? digits + 1 : digits;
    if (strcmp(digits, "1.00") == 0) shown = "1";
    snprintf(out, size, "%s%s", value < 0 ? "−" : "", shown);
}

void draw_cell_number(Canvas *canvas, Rect cell, const char *number, float size, Color color) {
    if (cell.w < canvas_text_width(canvas, number, size, false) || cell.h < size) return;
    canvas_text(canvas, cell.x + cell.w / 2, cell.y + cell.h / 2 + TEXT_MIDDLE * size, number,
                &(TextStyle){.size = size, .align = ALIGN_MIDDLE, .color = color});
}

void draw_ramp(Canvas *canvas, const Theme *theme, Rect area, const CellScale *scale, int steps) {
    float values[RAMP_STEPS_MAX];
    for (int step = 0; step < steps; step++) {
        float share = (float)step / (float)(steps - 1);
        values[step] = scale->diverging ? 2 * share - 1 : share;
    }
    CellMap map = map_of(scale, theme);
    map.area = area;
    map.rows = 1;
    map.columns = steps;
    map.values = values;
    map.top = 1;
    canvas_cells(canvas, &map);
    canvas_frame(canvas, area, 1, theme->line);
}

void draw_cell_state(Canvas *canvas, const Theme *theme, Rect cell, CellState state) {
    if (state == CELL_MASKED) {
        canvas_hatch(canvas, cell, theme->hatch_ground, theme->hatch_line);
        return;
    }
    canvas_fill(canvas, cell, theme->ground);
    if (state != CELL_NAN) return;
    float width = fmaxf(fminf(cell.w, cell.h) / 8, 1);
    float left = cell.x + cell.w / 4, right = cell.x + cell.w * 3 / 4;
    float top = cell.y + cell.h / 4, bottom = cell.y + cell.h * 3 / 4;
    canvas_line(canvas, left, top, right, bottom, width, theme->alarm);
    canvas_line(canvas, left, bottom, right, top, width, theme->alarm);
}

/* read_row for the common case, a trace without a difference. */
static int read_row_at_once(const CellSource *source, const CellGrid *grid, int row,
                            float *values) {
    int seen =
        int_clamp(cells_seen(source, grid->first_row + row) - grid->first_column, 0, grid->columns);
    trace_cells(source->trace, source->id, grid->first_row + row, grid->first_column, seen, values);
    for (int column = seen; column < grid->columns; column++)
        values[column] = NAN;
    return SIMD_PICK(floats_clean)(values, seen);
}

/* Reads the values of one row; NaN for cells without a value. Returns the number of cells that are
 * missing or not a number. */
static int read_row(const CellSource *source, const CellGrid *grid, int row, float *values) {
    if (source->trace && !source->minus) return read_row_at_once(source, grid, row, values);
    int others = 0, seen = cells_seen(source, grid->first_row + row) - grid->first_column;
    for (int column = 0; column < grid->columns; column++) {
        CellState state = CELL_MASKED;
        float value = 0;
        if (column < seen)
            value = cells_value(source, grid->first_row + row, grid->first_column + column, &state);
        values[column] = state == CELL_VALUE ? value : NAN;
        others += state != CELL_VALUE && (state != CELL_MASKED || source->values);
    }
    return others;
}

static CellMap map_at(const Theme *theme, const CellGrid *grid, const CellScale *scale) {
    CellMap map = map_of(scale, theme);
    map.area = (Rect){grid->x, grid->y, (float)grid->columns * grid->width,
                      (float)grid->rows * grid->height};
    map.rows = grid->rows;
    map.columns = grid->columns;
    return map;
}

/* The raster reads from the trace only the cells that it draws. */
static int draw_from_trace(Canvas *canvas, const Theme *theme, const CellSource *source,
                           const CellGrid *grid, const CellScale *scale) {
    CellMap map = map_at(theme, grid, scale);
    map.trace = source->trace;
    map.id = source->id;
    map.first_row = grid->first_row;
    map.first_column = grid->first_column;
    canvas_cells(canvas, &map);
    trace_done(source->trace, source->id);
    return trace_shows(source->trace, source->id, CELL_NAN) ||
           trace_shows(source->trace, source->id, CELL_MISSING);
}

int draw_cell_values(Canvas *canvas, const Theme *theme, const CellSource *source,
                     const CellGrid *grid, const CellScale *scale) {
    if (canvas->scale > 0 && source->trace && !source->minus)
        return draw_from_trace(canvas, theme, source, grid, scale);
    int others = 0;
    size_t count = (size_t)grid->rows * (size_t)grid->columns;
    float *values = malloc((count ? count : 1) * sizeof *values);
    if (!values) {
        Error error;
        error_set(&error, "out of memory for a panel of %d x %d cells", grid->rows, grid->columns);
        canvas_fail(canvas, &error);
        return 0;
    }
    for (int row = 0; row < grid->rows; row++)
        others += read_row(source, grid, row, values + (size_t)row * (size_t)grid->columns);
    CellMap map = map_at(theme, grid, scale);
    map.values = values;
    canvas_cells(canvas, &map);
    free(values);
    if (source->trace) trace_done(source->trace, source->id);
    return others;
}

/* Hatches the keys past what each query sees; rows of equal length as one rectangle. */
static void draw_masks(Canvas *canvas, const Theme *theme, const CellSource *source,
                       const CellGrid *grid) {
    int end = grid->first_row + grid->rows, last = grid->first_column + grid->columns;
    for (int row = grid->first_row; row < end;) {
        int first = row, seen = cells_seen(source, row);
        do
            row++;
        while (row < end && cells_seen(source, row) == seen);
        if (seen < grid->first_column) seen = grid->first_column;
        if (seen >= last) continue;
        Rect masked = {grid->x + (float)(seen - grid->first_column) * grid->width,
                       grid->y + (float)(first - grid->first_row) * grid->height,
                       (float)(last - seen) * grid->width, (float)(row - first) * grid->height};
        draw_cell_state(canvas, theme, masked, CELL_MASKED);
    }
}

static bool is_masked(const CellSource *source, int row, int column) {
    CellState state;
    cells_value(source, row, column, &state);
    return state == CELL_MASKED;
}

/* Draws a run of masked cells of a matrix row as one rectangle. Returns the run's last column. */
static int draw_masked_run(Canvas *canvas, const Theme *theme, const CellSource *source,
                           const CellGrid *grid, int row, int first) {
    int last = first;
    while (last + 1 < source->columns && is_masked(source, row, last + 1))
        last++;
    Rect run = cells_place(grid, row, first);
    run.w = grid->width * (float)(last - first + 1);
    run.h = grid->height;
    draw_cell_state(canvas, theme, run, CELL_MASKED);
    return last;
}

/* Reads whole rows first, which is faster: most rows have no such cell. */
static void draw_other_states(Canvas *canvas, const Theme *theme, const CellSource *source,
                              const CellGrid *grid) {
    float *values = malloc((size_t)grid->columns * sizeof *values);
    for (int row = grid->first_row; row < grid->first_row + grid->rows; row++) {
        if (values && read_row(source, grid, row - grid->first_row, values) == 0) continue;
        int end = grid->first_column + grid->columns;
        for (int column = grid->first_column; column < end; column++) {
            CellState state;
            cells_value(source, row, column, &state);
            if (state == CELL_MASKED && source->values)
                column = draw_masked_run(canvas, theme, source, grid, row, column);
            else if (state != CELL_VALUE && state != CELL_MASKED)
                draw_cell_state(canvas, theme, cells_place(grid, row, column), state);
        }
    }
    free(values);
}

/* Draws a hairline after each row and column except the last, which the frame covers. */
static void draw_grid(Canvas *canvas, const Theme *theme, const CellGrid *grid) {
    float across = layout_hairline(grid->width), down = layout_hairline(grid->height);
    float width = (float)grid->columns * grid->width, height = (float)grid->rows * grid->height;
    for (int line = 1; line < grid->columns && across > 0; line++) {
        float x = grid->x + (float)line * grid->width - across;
        canvas_fill(canvas, (Rect){x, grid->y, across, height}, theme->grid);
    }
    for (int line = 1; line < grid->rows && down > 0; line++) {
        float y = grid->y + (float)line * grid->height - down;
        canvas_fill(canvas, (Rect){grid->x, y, width, down}, theme->grid);
    }
}

void draw_cells(Canvas *canvas, const Theme *theme, const CellSource *source, const CellGrid *grid,
                const CellScale *scale) {
    int others = draw_cell_values(canvas, theme, source, grid, scale);
    draw_grid(canvas, theme, grid);
    draw_masks(canvas, theme, source, grid);
    if (others > 0) draw_other_states(canvas, theme, source, grid);
}
