/* Maps of numbers on pixels: each value is read once, each row of pixels is made once. */
#include "viz/canvas/pixels.h"

#include "model/base/minmax.h"
#include "viz/canvas/pixels_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pixels next to each other that show the same cells; within the clip. */
typedef struct PixelSpan {
    int start, end;
} PixelSpan;

/* The visible part of one axis of the map. */
typedef struct AxisSpans {
    int count;
    PixelSpan *pixels; /* [count] */
    TraceSpan *cells;
} AxisSpans;

/* One axis of the map in device pixels: cell i covers at + i*cell .. at + (i+1)*cell. */
typedef struct PixelAxis {
    float at, cell; /* logical */
    float scale;
    int count;
    int clip_start, clip_end;
} PixelAxis;

static int edge(const PixelAxis *axis, int cell) {
    return (int)lroundf((axis->at + (float)cell * axis->cell) * axis->scale);
}

static void spans_add(AxisSpans *seen, PixelSpan pixels, TraceSpan cells) {
    seen->pixels[seen->count] = pixels;
    seen->cells[seen->count++] = cells;
}

/* Cells of at least a pixel: one span for each cell, between its rounded edges. */
static void spans_of_cells(const PixelAxis *axis, AxisSpans *seen) {
    for (int cell = 0, start = edge(axis, 0); cell < axis->count && start < axis->clip_end;
         cell++) {
        int end = edge(axis, cell + 1);
        PixelSpan pixels = {int_max(start, axis->clip_start), int_min(end, axis->clip_end)};
        if (pixels.start < pixels.end) spans_add(seen, pixels, (TraceSpan){cell, cell});
        start = end;
    }
}

/* The first cell whose middle lies at the pixel's left edge or past it. */
static int first_cell(const PixelAxis *axis, int pixel) {
    float middle = ((float)pixel / axis->scale - axis->at) / axis->cell - 0.5F;
    int cell = (int)ceilf(fmaxf(middle, 0));
    return cell < axis->count ? cell : axis->count;
}

/* Smaller cells: one span for each pixel, with the cells whose middle lies in it. The first and the
 * last pixel also take the cells that rounding the map's edges cut off. */
static void spans_of_pixels(const PixelAxis *axis, AxisSpans *seen) {
    int begin = edge(axis, 0), end = edge(axis, axis->count);
    int stop = int_min(end, axis->clip_end);
    int pixel = int_max(begin, axis->clip_start);
    int next = pixel == begin ? 0 : first_cell(axis, pixel);
    for (; pixel < stop; pixel++) {
        int first = next;
        int past = next = pixel == end - 1 ? axis->count : first_cell(axis, pixel + 1);
        if (first >= axis->count) first = axis->count - 1;
        spans_add(seen, (PixelSpan){pixel, pixel + 1},
                  (TraceSpan){first, past > first ? past - 1 : first});
    }
}

static void find_spans(const PixelAxis *axis, AxisSpans *seen) {
    if (axis->cell * axis->scale >= 1)
        spans_of_cells(axis, seen);
    else
        spans_of_pixels(axis, seen);
}

/* An upper bound: at most one span for each cell and for each pixel. */
static size_t spans_max(const PixelAxis *axis) {
    int pixels = axis->clip_end - axis->clip_start;
    return (size_t)int_min(pixels, axis->count) + 1;
}

/* A map while it is drawn. */
typedef struct Drawing {
    const Pixels *pixels;
    const CellMap *map;
    AxisSpans rows, columns; /* one block of memory, which begins at rows.cells */
    TraceColumns fold;
    const float *folded; /* [rows,columns], kept by the trace; NULL: fold row by row */
    bool single;         /* each column is one cell, in order */
    bool pixelwise;      /* each column is one pixel */
    float *strong;       /* [columns]: one folded row */
    uint8_t *entries;
    ValueColors colors;
} Drawing;

/* The length of the run of numbers, or of NaNs, that begins at the first value. */
static int run_of(const float *values, int count) {
    int run = 1;
    while (run < count && isnan(values[run]) == isnan(values[0]))
        run++;
    return run;
}

/* Draws columns [first,past), none of them NaN, into the row of pixels at y. Writes two pixels at a
 * time (8 bytes), as pixels_values_row does; the excess is overwritten by the next column, and the
 * last pixels are written one by one. */
static void draw_columns(const Drawing *drawing, int first, int past, int y) {
    const PixelSpan *columns = drawing->columns.pixels;
    const ValueColors *colors = &drawing->colors;
    int end = columns[past - 1].end - 2;
    uint8_t *pixel = pixels_at(drawing->pixels, columns[first].start, y);
    for (int column = first; column < past; column++) {
        int entry = drawing->entries[column], x = columns[column].start;
        uint64_t pair = colors->first[entry] | colors->second[entry];
        for (; x + 2 <= columns[column].end && x < end; x += 2, pixel += 6)
            memcpy(pixel, &pair, 8);
        for (; x < columns[column].end; x++, pixel += 3)
            memcpy(pixel, &pair, 3);
    }
}

/* Draws a row of cells into all pixel rows of a span: the first is drawn, the others are copies. */
static void draw_wide_row(const Drawing *drawing, const float *values, PixelSpan rows) {
    const PixelSpan *columns = drawing->columns.pixels;
    int count = drawing->columns.count;
    pixels_values_entries(&drawing->colors, values, count, drawing->entries);
    for (int first = 0, run; first < count; first += run) {
        run = run_of(values + first, count - first);
        if (isnan(values[first])) continue;
        draw_columns(drawing, first, first + run, rows.start);
        uint8_t *row = pixels_at(drawing->pixels, columns[first].start, rows.start);
        size_t size = 3 * (size_t)(columns[first + run - 1].end - columns[first].start);
        for (int y = 1; y < rows.end - rows.start; y++)
            memcpy(row + (size_t)y * drawing->pixels->pitch, row, size);
    }
}

/* The values of one visible row, [columns]. */
static const float *values_of(const Drawing *drawing, int row) {
    const CellMap *map = drawing->map;
    TraceSpan cells = drawing->rows.cells[row];
    size_t columns = (size_t)drawing->columns.count;
    if (drawing->folded) return drawing->folded + (size_t)row * columns;
    if (!map->values) {
        trace_fold(map->trace, map->id, cells, &drawing->fold, drawing->strong);
        return drawing->strong;
    }
    if (drawing->single && cells.first == cells.last)
        return map->values + (size_t)cells.first * (size_t)map->columns +
               drawing->columns.cells[0].first;
    TraceCells all = {.values = map->values, .stride = (size_t)map->columns};
    SIMD_PICK(trace_fold_cells)(&all, cells, &drawing->fold, drawing->strong);
    return drawing->strong;
}

static void draw(const Drawing *drawing) {
    for (int row = 0; row < drawing->rows.count; row++) {
        PixelSpan pixels = drawing->rows.pixels[row];
        const float *values = values_of(drawing, row);
        if (drawing->pixelwise && pixels.end - pixels.start == 1)
            pixels_values_row(
                &drawing->colors,
                pixels_at(drawing->pixels, drawing->columns.pixels[0].start, pixels.start), values,
                drawing->columns.count);
        else
            draw_wide_row(drawing, values, pixels);
    }
}

static bool make_room(Drawing *drawing, size_t rows, size_t columns) {
    char *room = malloc((rows + columns) * (sizeof(TraceSpan) + sizeof(PixelSpan)) +
                        columns * (sizeof(float) + sizeof(uint8_t)));
    if (!room) return false;
    drawing->rows.cells = (TraceSpan *)(void *)room;
    drawing->columns.cells = drawing->rows.cells + rows;
    drawing->rows.pixels = (PixelSpan *)(drawing->columns.cells + columns);
    drawing->columns.pixels = drawing->rows.pixels + rows;
    drawing->strong = (float *)(drawing->columns.pixels + columns);
    drawing->entries = (uint8_t *)(drawing->strong + columns);
    return true;
}

/* Turns indices into the drawn part of a trace's map into indices into the whole map. */
static void shift_cells(AxisSpans *seen, int first) {
    for (int i = 0; first != 0 && i < seen->count; i++) {
        seen->cells[i].first += first;
        seen->cells[i].last += first;
    }
}

/* A fold of many cells into far fewer pixels is worth keeping. */
enum { FOLD_CELLS_MIN = 1 << 14, FOLD_RATIO_MIN = 2 };

static bool is_worth_keeping(const Drawing *drawing) {
    const AxisSpans *rows = &drawing->rows, *columns = &drawing->columns;
    long cells = (long)(rows->cells[rows->count - 1].last - rows->cells[0].first + 1) *
                 (columns->cells[columns->count - 1].last - columns->cells[0].first + 1);
    return cells >= FOLD_CELLS_MIN && cells >= FOLD_RATIO_MIN * (long)rows->count * columns->count;
}

static void prepare(Drawing *drawing) {
    const CellMap *map = drawing->map;
    const AxisSpans *rows = &drawing->rows, *columns = &drawing->columns;
    int last = columns->count - 1;
    drawing->single = columns->cells[last].last - columns->cells[0].first == last;
    drawing->pixelwise = columns->pixels[last].end - columns->pixels[0].start == last + 1;
    drawing->fold = trace_columns(columns->cells, columns->count);
    pixels_values_prepare(&drawing->colors, map);
    if (!map->values && is_worth_keeping(drawing))
        drawing->folded =
            trace_folded(map->trace, map->id, rows->cells, rows->count, &drawing->fold);
}

bool pixels_cells(const Pixels *pixels, const CellMap *map, float scale, Error *error) {
    if (map->rows < 1 || map->columns < 1) return true;
    PixelRect clip = pixels->clip;
    PixelAxis down = {map->area.y,    map->area.h / (float)map->rows, scale, map->rows, clip.y,
                      clip.y + clip.h};
    PixelAxis across = {map->area.x, map->area.w / (float)map->columns,
                        scale,       map->columns,
                        clip.x,      clip.x + clip.w};
    Drawing drawing = {.pixels = pixels, .map = map};
    if (!make_room(&drawing, spans_max(&down), spans_max(&across)))
        return error_set(error, "out of memory for a map of %d x %d cells", map->rows,
                         map->columns);
    find_spans(&down, &drawing.rows);
    find_spans(&across, &drawing.columns);
    if (drawing.rows.count > 0 && drawing.columns.count > 0) {
        shift_cells(&drawing.rows, map->first_row);
        shift_cells(&drawing.columns, map->first_column);
        prepare(&drawing);
        draw(&drawing);
    }
    free(drawing.rows.cells);
    return true;
}
