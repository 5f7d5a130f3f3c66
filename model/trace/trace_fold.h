/* Folding reduces many cells to few, for a picture whose pixels cover more than one cell each. */
#ifndef HEADSCOPE_MODEL_TRACE_TRACE_FOLD_H
#define HEADSCOPE_MODEL_TRACE_TRACE_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/simd.h"

/* Adjacent rows or columns, from `first` to `last` inclusive. */
typedef struct TraceSpan {
    int first, last;
} TraceSpan;

static inline int trace_span_width(TraceSpan span) {
    return span.last - span.first + 1;
}

/* Spans of columns, with the step at which they are folded fastest. */
typedef struct TraceColumns {
    const TraceSpan *spans; /* [count]; first and last columns never decrease */
    int count;
    int step; /* a power of two */
    bool odd; /* some spans are narrower than one step or wider than two */
} TraceColumns;

/* `spans` must outlive the result. */
TraceColumns trace_columns(const TraceSpan *spans, int count);

/* How many columns are folded at once. */
enum { TRACE_FOLD_COLUMNS = 2048 };

/* A map of numbers; NaN is no number. */
typedef struct TraceCells {
    const float *values; /* [rows, stride]; NULL: call `read` */
    size_t stride;
    const int *seen;        /* [rows]: how many values of each row count; NULL: all */
    const uint64_t *hidden; /* [rows, hidden_stride]: a set bit, from the lowest on, for each column
                               that does not count; NULL: none */
    size_t hidden_stride;
    bool finite; /* an infinity counts as no number */
    /* Writes the values [count] of a row from column `first` on. */
    void (*read)(const void *from, int row, int first, int count, float *values);
    const void *from;
} TraceCells;

/* folded[columns->count] = the value of the largest magnitude in the rows and each span of columns,
 * the positive one of a tie; NaN if there is no number. */
SIMD_DECLARE(void, trace_fold_cells,
             (const TraceCells *cells, TraceSpan rows, const TraceColumns *columns, float *folded));

/* --- a cache of folds: a window draws the same map repeatedly, at one or two sizes ------------ */

enum { TRACE_CACHED_FOLDS = 2 };

/* The spans of a request, and their folds. */
typedef struct TraceCachedFold {
    TraceSpan *spans; /* [rows + columns] */
    int rows, columns;
    float *values; /* [rows, columns]; NULL: requested only once so far */
    bool valid;
} TraceCachedFold;

typedef struct TraceFoldCache {
    TraceCachedFold folds[TRACE_CACHED_FOLDS]; /* most recently used first */
} TraceFoldCache;

/* Returns the folds of all these spans, [row_count, columns->count]. NULL for lack of memory, and
 * on the first request: a map that is drawn only once is not worth the memory. Replaces the least
 * recently used entry. */
const float *trace_fold_cached(TraceFoldCache *cache, const TraceCells *cells,
                               const TraceSpan *rows, int row_count, const TraceColumns *columns);

/* Marks all folds as outdated: the map has changed. */
void trace_fold_cache_clear(TraceFoldCache *cache);

void trace_fold_cache_free(TraceFoldCache *cache);

/* --- a pyramid of folds, which the source of a map computes while it reads the map ------------ */

/* Level l holds one value for each block of 2^l x 2^l cells. */
enum { TRACE_PYRAMID_LEVELS = 18 };

typedef struct TracePyramid {
    const float *levels[TRACE_PYRAMID_LEVELS]; /* not owned; NULL: none */
} TracePyramid;

/* Returns the pyramid level whose blocks match these spans (all columns, any rows), starting at
 * rows[0]; NULL if no level matches. The map has map_rows x map_columns cells. */
const float *trace_pyramid_find(const TracePyramid *pyramid, int map_rows, int map_columns,
                                const TraceSpan *rows, int row_count, const TraceColumns *columns);

#endif
