#include "model/trace/trace_fold.h"

#include "model/base/minmax.h"

#include <math.h>
#include <string.h>

/* WIDE columns are folded at once, so that the fold stays in the cache. GAP keeps `high` and `low`
 * from being a whole number of pages apart, which would cause false store-to-load dependencies. */
enum { WIDE = TRACE_FOLD_COLUMNS, GAP = 80, ROWS = 6 };

/* The largest and the smallest value of each column so far; high < low if there is none. A NaN is
 * skipped, since comparisons with it are false. */
typedef struct Fold {
    float high[WIDE + GAP], low[WIDE + GAP];
} Fold;

/* Not inlined: gcc would then check at run time that `restrict` arguments do not overlap. */
#define LOOP static __attribute__((noinline))

/* For scattered reads, which vector instructions only slow down. */
#ifdef __clang__
#define SCALAR_LOOP LOOP
#else
#define SCALAR_LOOP LOOP __attribute__((optimize("no-tree-vectorize")))
#endif

/* --- rows into columns ------------------------------------------------------------------------ */

static inline float above(float value, float high) {
    return value > high ? value : high;
}

static inline float below(float value, float low) {
    return value < low ? value : low;
}

/* Starts a fold with a constant number of rows, which are combined in registers. */
#define SET_ROWS(rows)                                                                             \
    LOOP void set_##rows(Fold *restrict fold, const float *restrict values, size_t stride,         \
                         int columns) {                                                            \
        for (int i = 0; i < columns; i++) {                                                        \
            float high = -INFINITY, low = INFINITY;                                                \
            for (size_t row = 0; row < rows; row++) {                                              \
                float value = values[row * stride + (size_t)i];                                    \
                high = above(value, high);                                                         \
                low = below(value, low);                                                           \
            }                                                                                      \
            fold->high[i] = high;                                                                  \
            fold->low[i] = low;                                                                    \
        }                                                                                          \
    }
SET_ROWS(1)
SET_ROWS(2)
SET_ROWS(3)
SET_ROWS(4)
SET_ROWS(5)
SET_ROWS(6)

static void set_rows(Fold *fold, const float *values, size_t stride, int rows, int columns) {
    static void (*const sets[ROWS])(Fold *, const float *, size_t, int) = {set_1, set_2, set_3,
                                                                           set_4, set_5, set_6};
    sets[rows - 1](fold, values, stride, columns);
}

LOOP void set_nothing(Fold *fold, int first, int past) {
    for (int i = first; i < past; i++) {
        fold->high[i] = -INFINITY;
        fold->low[i] = INFINITY;
    }
}

LOOP void add_row(float *restrict high, float *restrict low, const float *restrict values,
                  int columns) {
    for (int i = 0; i < columns; i++) {
        high[i] = above(values[i], high[i]);
        low[i] = below(values[i], low[i]);
    }
}

/* What was found so far is read and written once for four rows. */
LOOP void add_four(float *restrict high, float *restrict low, const float *restrict values,
                   size_t stride, int columns) {
    const float *a = values, *b = a + stride, *c = b + stride, *d = c + stride;
    for (int i = 0; i < columns; i++) {
        high[i] = above(d[i], above(c[i], above(b[i], above(a[i], high[i]))));
        low[i] = below(d[i], below(c[i], below(b[i], below(a[i], low[i]))));
    }
}

static void add_rows(Fold *fold, int at, const float *values, size_t stride, int rows,
                     int columns) {
    for (; rows >= 4; rows -= 4, values += 4 * stride)
        add_four(fold->high + at, fold->low + at, values, stride, columns);
    for (; rows > 0; rows--, values += stride)
        add_row(fold->high + at, fold->low + at, values, columns);
}

/* --- columns into spans ----------------------------------------------------------------------- */

/* Combines each position with the one `step` after it. */
LOOP void join_two(Fold *restrict to, const Fold *restrict from, int step, int width) {
    for (int i = 0; i < width; i++) {
        to->high[i] = above(from->high[i + step], from->high[i]);
        to->low[i] = below(from->low[i + step], from->low[i]);
    }
}

/* Does the same twice. */
LOOP void join_four(Fold *restrict to, const Fold *restrict from, int step, int width) {
    for (int i = 0; i < width; i++) {
        float high = above(from->high[i + step], from->high[i]);
        float next_high = above(from->high[i + 3 * step], from->high[i + 2 * step]);
        float low = below(from->low[i + step], from->low[i]);
        float next_low = below(from->low[i + 3 * step], from->low[i + 2 * step]);
        to->high[i] = above(next_high, high);
        to->low[i] = below(next_low, low);
    }
}

LOOP void choose(const float *restrict high, const float *restrict low, int count,
                 float *restrict folded) {
    for (int i = 0; i < count; i++) {
        float strong = high[i] >= -low[i] ? high[i] : low[i];
        folded[i] = high[i] >= low[i] ? strong : NAN;
    }
}

/* Combines, for each span, the position at its start with the one that ends where the span does. A
 * span narrower than a step gets a valid but wrong value, which fold_columns replaces. */
SCALAR_LOOP void gather(const Fold *fold, int step, const TraceSpan *spans, int count,
                        float *folded) {
    enum { SOME = 64 };
    float high[SOME], low[SOME];
    int base = spans[0].first, end = base + step - 1;
    for (int done = 0; done < count; done += SOME) {
        int some = int_min(count - done, SOME);
        for (int i = 0; i < some; i++) {
            int first = spans[done + i].first - base, last = spans[done + i].last - end;
            last = last > 0 ? int_min(last, WIDE - 1) : 0;
            high[i] = above(fold->high[first], fold->high[last]);
            low[i] = below(fold->low[first], fold->low[last]);
        }
        choose(high, low, some, folded + done);
    }
}

/* One span, column by column. */
static float fold_odd(const Fold *fold, int first, int width) {
    float high = -INFINITY, low = INFINITY, folded;
    for (int at = first; at < int_min(first + width, WIDE); at++) {
        high = above(fold->high[at], high);
        low = below(fold->low[at], low);
    }
    choose(&high, &low, 1, &folded);
    return folded;
}

/* Folds the spans from `first` on; position 0 is the first column of the first span. Each position
 * is combined with those after it, at distances 1, 2, 4, ..., until it covers a step; then a span
 * is the combination of two positions. */
static void fold_columns(const Fold *fold, const TraceColumns *columns, int first, int count,
                         float *folded) {
    const TraceSpan *spans = columns->spans + first;
    int width = int_min(spans[count - 1].last - spans[0].first + 1, WIDE);
    const Fold *from = fold;
    Fold buffers[2], *to = buffers;
    for (int step = 1, joined; step < columns->step; step *= joined) {
        joined = 4 * step <= columns->step ? 4 : 2;
        width -= (joined - 1) * step;
        (joined == 4 ? join_four : join_two)(to, from, step, width);
        from = to;
        to = to == buffers ? buffers + 1 : buffers;
    }
    gather(from, columns->step, spans, count, folded);
    for (int i = 0; columns->odd && i < count; i++) {
        int wide = trace_span_width(spans[i]);
        if (wide < columns->step || wide > 2 * columns->step)
            folded[i] = fold_odd(fold, spans[i].first - spans[0].first, wide);
    }
}

/* --- tiles ------------------------------------------------------------------------------------ */

/* At most ROWS rows of at most WIDE columns. */
typedef struct Tile {
    const TraceCells *cells;
    int row, rows, column, columns;
    bool clean;               /* copy the values, with infinities replaced by NaN */
    float buffer[ROWS][WIDE]; /* for values that are read or copied */
} Tile;

/* How many columns of a row of the tile count. */
static int seen_of(const Tile *tile, int row) {
    if (!tile->cells->seen) return tile->columns;
    int seen = tile->cells->seen[tile->row + row] - tile->column;
    return seen > 0 ? int_min(seen, tile->columns) : 0;
}

static void read_row(Tile *tile, int row) {
    const TraceCells *cells = tile->cells;
    float *values = tile->buffer[row];
    int count = seen_of(tile, row), query = tile->row + row;
    if (count < 1) return;
    if (cells->values)
        memcpy(values, cells->values + (size_t)query * cells->stride + tile->column,
               (size_t)count * sizeof *values);
    else
        cells->read(cells->from, query, tile->column, count, values);
    for (int i = 0; tile->clean && i < count; i++)
        values[i] = isfinite(values[i]) ? values[i] : NAN;
    if (!cells->hidden) return;
    const uint64_t *hidden = cells->hidden + (size_t)query * cells->hidden_stride;
    for (int i = 0, column = tile->column; i < count; i++, column++)
        if (hidden[column / 64] >> (column % 64) & 1) values[i] = NAN;
}

static const float *values_of(Tile *tile, size_t *stride) {
    const TraceCells *cells = tile->cells;
    *stride = cells->stride;
    if (cells->values && !tile->clean && !cells->hidden)
        return cells->values + (size_t)tile->row * cells->stride + tile->column;
    *stride = WIDE;
    for (int row = 0; row < tile->rows; row++)
        read_row(tile, row);
    return tile->buffer[0];
}

/* Adds the columns that all rows see at once, the rest row by row. */
static void take_tile(Fold *fold, Tile *tile, bool begin) {
    size_t stride;
    const float *values = values_of(tile, &stride);
    int common = tile->columns;
    for (int row = 0; row < tile->rows; row++)
        common = int_min(common, seen_of(tile, row));
    if (begin)
        set_rows(fold, values, stride, tile->rows, common);
    else
        add_rows(fold, 0, values, stride, tile->rows, common);
    if (begin) set_nothing(fold, common, tile->columns);
    for (int row = 0; row < tile->rows; row++)
        add_rows(fold, common, values + (size_t)row * stride + common, stride, 1,
                 seen_of(tile, row) - common);
}

/* A span wider than WIDE is folded in parts, one over the other. */
static void fold_rows(Fold *fold, Tile *tile, TraceSpan rows, int first, int width) {
    for (int done = 0; done < width; done += WIDE) {
        tile->column = first + done;
        tile->columns = int_min(width - done, WIDE);
        for (int row = rows.first; row <= rows.last; row += tile->rows) {
            bool begin = done == 0 && row == rows.first;
            int rest = rows.last - row + 1;
            tile->row = row;
            tile->rows = begin && rest <= ROWS ? rest : int_min(rest, 4);
            take_tile(fold, tile, begin);
        }
    }
}

/* How many spans, from `first` on, fit into WIDE columns; at least one. */
static int spans_that_fit(const TraceColumns *columns, int first) {
    int end = columns->spans[first].first + WIDE;
    int fit = first + 1, past = columns->count + 1;
    while (fit + 1 < past) {
        int middle = fit + (past - fit) / 2;
        if (columns->spans[middle - 1].last < end)
            fit = middle;
        else
            past = middle;
    }
    return fit - first;
}

LOOP bool has_infinity(const float *values, int count) {
    int found = 0;
    for (int i = 0; i < count; i++)
        found |= fabsf(values[i]) == INFINITY;
    return found;
}

void SIMD_NAME(trace_fold_cells)(const TraceCells *cells, TraceSpan rows,
                                 const TraceColumns *columns, float *folded) {
    Tile tile;
    tile.cells = cells;
    for (int done = 0, count; done < columns->count; done += count, folded += count) {
        count = spans_that_fit(columns, done);
        int first = columns->spans[done].first;
        int width = columns->spans[done + count - 1].last - first + 1;
        Fold fold;
        tile.clean = false;
        fold_rows(&fold, &tile, rows, first, width);
        fold_columns(&fold, columns, done, count, folded);
        if (!cells->finite || !has_infinity(folded, count)) continue;
        tile.clean = true;
        fold_rows(&fold, &tile, rows, first, width);
        fold_columns(&fold, columns, done, count, folded);
    }
}
