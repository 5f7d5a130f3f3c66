#include "viz/pixels_cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pixels in a row (or a column) of the picture that show the same cells. */
typedef struct Span {
    int start, end;  /* pixels, within the clip */
    int first, last; /* cells, `last` included */
} Span;

/* One side of the map in device pixels: cell i covers at + i*cell .. at + (i+1)*cell. */
typedef struct Side {
    float at, cell; /* logical */
    float scale;
    int count;
    int clip_start, clip_end;
} Side;

static int edge(const Side *side, int cell) {
    return (int)lroundf((side->at + (float)cell * side->cell) * side->scale);
}

/* Cells of a pixel and more: one span a cell, between its rounded edges. */
static int spans_of_cells(const Side *side, Span *spans) {
    int count = 0;
    for (int cell = 0, start = edge(side, 0); cell < side->count && start < side->clip_end;
         cell++) {
        int end = edge(side, cell + 1);
        Span span = {start > side->clip_start ? start : side->clip_start,
                     end < side->clip_end ? end : side->clip_end, cell, cell};
        if (span.start < span.end) spans[count++] = span;
        start = end;
    }
    return count;
}

/* The first cell whose middle lies at the pixel's left edge or past it. */
static int first_cell(const Side *side, int pixel) {
    float middle = ((float)pixel / side->scale - side->at) / side->cell - 0.5F;
    int cell = (int)ceilf(fmaxf(middle, 0));
    return cell < side->count ? cell : side->count;
}

/* Smaller cells: one span a pixel, with the cells whose middle lies in it. The first pixel and the
 * last also take those that the rounding of the map's edges cut off. */
static int spans_of_pixels(const Side *side, Span *spans) {
    int count = 0, begin = edge(side, 0), end = edge(side, side->count);
    int stop = end < side->clip_end ? end : side->clip_end;
    for (int pixel = begin > side->clip_start ? begin : side->clip_start; pixel < stop; pixel++) {
        int first = pixel == begin ? 0 : first_cell(side, pixel);
        int past = pixel == end - 1 ? side->count : first_cell(side, pixel + 1);
        if (first >= side->count) first = side->count - 1;
        spans[count++] = (Span){pixel, pixel + 1, first, past > first ? past - 1 : first};
    }
    return count;
}

static int spans_make(const Side *side, Span *spans) {
    return side->cell * side->scale >= 1 ? spans_of_cells(side, spans)
                                         : spans_of_pixels(side, spans);
}

/* No more spans than cells, nor than pixels. */
static size_t spans_at_most(const Side *side) {
    int pixels = side->clip_end - side->clip_start;
    return (size_t)(pixels < side->count ? pixels : side->count) + 1;
}

/* GCC makes vector code of such loops only from -O3 on. */
#if defined(__GNUC__) && !defined(__clang__)
#define VECTOR_CODE __attribute__((optimize("O3")))
#else
#define VECTOR_CODE
#endif

/* The largest and the smallest value of each column of cells in the rows of a span; largest <
 * smallest where there is none. A NaN is neither above nor below. */
VECTOR_CODE static void fold_rows(const CellMap *map, const Span *row, int first, int past,
                                  float *restrict high, float *restrict low) {
    for (int key = first; key < past; key++) {
        high[key] = -INFINITY;
        low[key] = INFINITY;
    }
    for (int query = row->first; query <= row->last; query++) {
        const float *restrict values = map->values + (size_t)query * (size_t)map->columns;
        for (int key = first; key < past; key++) {
            high[key] = values[key] > high[key] ? values[key] : high[key];
            low[key] = values[key] < low[key] ? values[key] : low[key];
        }
    }
}

/* The same of each span of columns. */
static void reduce(const Span *columns, int count, const float *high, const float *low,
                   float *largest, float *smallest) {
    for (int column = 0; column < count; column++) {
        float most = -INFINITY, least = INFINITY;
        for (int key = columns[column].first; key <= columns[column].last; key++) {
            most = high[key] > most ? high[key] : most;
            least = low[key] < least ? low[key] : least;
        }
        largest[column] = most;
        smallest[column] = least;
    }
}

/* Draws the spans first .. past, none of them empty, into all pixel rows of `row`. */
static void draw_stretch(const Pixels *pixels, const Span *row, const Span *columns,
                         const Color *colors, int first, int past) {
    Uint8 *at = pixels_at(pixels, columns[first].start, row->start), *pixel = at;
    for (int column = first; column < past; column++)
        for (int x = columns[column].start; x < columns[column].end; x++, pixel += 3)
            pixels_set(pixel, colors[column]);
    for (int y = 1; y < row->end - row->start; y++)
        memcpy(at + (size_t)y * pixels->pitch, at, (size_t)(pixel - at));
}

/* Memory for a map: one block, of which all are parts. */
typedef struct Work {
    Color table[COLORMAP_ENTRIES];
    Span *rows, *columns;
    float *largest, *smallest; /* [columns] */
    float *high, *low;         /* [the map's columns] */
    Color *colors;             /* [columns]; alpha 0: no value */
} Work;

/* The entry of each value (no NaN among them, or it does not matter) in a map that is not
 * diverging, as canvas_cell_entry gives it. */
VECTOR_CODE static void entries_of(const float *restrict values, int count, float share,
                                   int *restrict entries) {
    for (int i = 0; i < count; i++) {
        float at = values[i] * share;
        at = at > 0 ? at : 0;
        at = at < 1 ? at : 1;
        int entry = (int)(at * COLORMAP_ENTRIES);
        entries[i] = entry < COLORMAP_ENTRIES ? entry : COLORMAP_ENTRIES - 1;
    }
}

/* One row of cells, each of them just one pixel: nothing is to be compared. */
static void draw_pixel_row(const Pixels *pixels, const CellMap *map, const Work *work,
                           const Span *row, int count) {
    enum { SOME = 256 };
    int entries[SOME];
    float share = map->top > 0 ? 1 / map->top : 0;
    const float *values =
        map->values + (size_t)row->first * (size_t)map->columns + work->columns[0].first;
    Uint8 *pixel = pixels_at(pixels, work->columns[0].start, row->start);
    for (int first = 0; first < count; first += SOME) {
        int some = count - first < SOME ? count - first : SOME;
        entries_of(values + first, some, share, entries);
        for (int i = 0; i < some; i++, pixel += 3)
            if (!isnan(values[first + i])) pixels_set(pixel, work->table[entries[i]]);
    }
}

static bool is_pixel_row(const CellMap *map, const Span *row, const Span *columns, int count) {
    return !map->diverging && row->first == row->last && row->end - row->start == 1 &&
           columns[count - 1].last - columns[0].first == count - 1 &&
           columns[count - 1].end - columns[0].start == count;
}

static void draw_row(const Pixels *pixels, const CellMap *map, const Work *work, const Span *row,
                     int count) {
    if (count < 1) return;
    if (is_pixel_row(map, row, work->columns, count)) {
        draw_pixel_row(pixels, map, work, row, count);
        return;
    }
    fold_rows(map, row, work->columns[0].first, work->columns[count - 1].last + 1, work->high,
              work->low);
    reduce(work->columns, count, work->high, work->low, work->largest, work->smallest);
    for (int column = 0; column < count; column++) {
        float high = work->largest[column], low = work->smallest[column];
        work->colors[column] = (Color){0};
        if (high >= low)
            work->colors[column] = work->table[canvas_cell_entry(map, high >= -low ? high : low)];
    }
    for (int column = 0; column < count;) {
        int first = column;
        while (column < count && work->colors[column].a)
            column++;
        if (column > first) draw_stretch(pixels, row, work->columns, work->colors, first, column);
        if (column == first) column++;
    }
}

bool pixels_cells(const Pixels *pixels, const CellMap *map, float scale, Error *error) {
    if (map->rows < 1 || map->columns < 1) return true;
    SDL_Rect clip = pixels->clip;
    Side down = {map->area.y,    map->area.h / (float)map->rows, scale, map->rows, clip.y,
                 clip.y + clip.h};
    Side across = {map->area.x,    map->area.w / (float)map->columns, scale, map->columns, clip.x,
                   clip.x + clip.w};
    size_t rows = spans_at_most(&down), columns = spans_at_most(&across);
    Work work;
    work.rows =
        malloc((rows + columns) * sizeof(Span) + columns * (2 * sizeof(float) + sizeof(Color)) +
               2 * (size_t)map->columns * sizeof(float));
    if (!work.rows)
        return error_set(error, "out of memory for a map of %d x %d cells", map->rows,
                         map->columns);
    work.columns = work.rows + rows;
    work.largest = (float *)(work.columns + columns);
    work.smallest = work.largest + columns;
    work.high = work.smallest + columns;
    work.low = work.high + map->columns;
    work.colors = (Color *)(work.low + map->columns);
    for (int entry = 0; entry < COLORMAP_ENTRIES; entry++)
        work.table[entry] = canvas_cell_color(map, entry);
    int row_count = spans_make(&down, work.rows);
    int column_count = spans_make(&across, work.columns);
    for (int row = 0; row < row_count; row++)
        draw_row(pixels, map, &work, &work.rows[row], column_count);
    free(work.rows);
    return true;
}
