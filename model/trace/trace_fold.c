#include "model/trace/trace_fold.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/large_memory.h"
#include "model/base/minmax.h"

/* The spans of a picture have similar widths, except for the first and the last. */
TraceColumns trace_columns(const TraceSpan *spans, int count) {
    TraceColumns columns = {.spans = spans, .count = count, .step = 1};
    int narrow = TRACE_FOLD_COLUMNS, edges = count > 2;
    for (int i = edges; i < count - edges; i++)
        narrow = int_min(narrow, trace_span_width(spans[i]));
    while (2 * columns.step <= narrow)
        columns.step *= 2;
    for (int i = 0; i < count; i++) {
        int width = trace_span_width(spans[i]);
        columns.odd = columns.odd || width < columns.step || width > 2 * columns.step;
    }
    return columns;
}

/* --- cached folds ----------------------------------------------------------------------------- */

static bool matches(const TraceCachedFold *fold, const TraceSpan *rows, int row_count,
                    const TraceColumns *columns) {
    return fold->spans && fold->rows == row_count && fold->columns == columns->count &&
           memcmp(fold->spans, rows, (size_t)row_count * sizeof *rows) == 0 &&
           memcmp(fold->spans + row_count, columns->spans, (size_t)columns->count * sizeof *rows) ==
               0;
}

static size_t size_of(const TraceCachedFold *fold) {
    return (size_t)fold->rows * (size_t)fold->columns * sizeof *fold->values;
}

static void free_fold(TraceCachedFold *fold) {
    free(fold->spans);
    if (fold->values) large_memory_free(fold->values, size_of(fold));
    *fold = (TraceCachedFold){0};
}

static void to_front(TraceFoldCache *cache, int index) {
    TraceCachedFold fold = cache->folds[index];
    for (; index > 0; index--)
        cache->folds[index] = cache->folds[index - 1];
    cache->folds[0] = fold;
}

static void set_spans(TraceCachedFold *fold, const TraceSpan *rows, int row_count,
                      const TraceColumns *columns) {
    size_t row_size = (size_t)row_count * sizeof *rows;
    size_t column_size = (size_t)columns->count * sizeof *rows;
    free_fold(fold);
    fold->spans = malloc(row_size + column_size);
    if (!fold->spans) return;
    memcpy(fold->spans, rows, row_size);
    memcpy(fold->spans + row_count, columns->spans, column_size);
    fold->rows = row_count;
    fold->columns = columns->count;
}

const float *trace_fold_cached(TraceFoldCache *cache, const TraceCells *cells,
                               const TraceSpan *rows, int row_count, const TraceColumns *columns) {
    int index = 0;
    while (index < TRACE_CACHED_FOLDS && !matches(&cache->folds[index], rows, row_count, columns))
        index++;
    bool known = index < TRACE_CACHED_FOLDS;
    to_front(cache, known ? index : TRACE_CACHED_FOLDS - 1);
    TraceCachedFold *fold = &cache->folds[0];
    if (!known) {
        set_spans(fold, rows, row_count, columns);
        return NULL;
    }
    size_t width = (size_t)columns->count;
    if (!fold->values) fold->values = large_memory(size_of(fold));
    if (!fold->values) return NULL;
    for (int row = 0; !fold->valid && row < row_count; row++)
        SIMD_PICK(trace_fold_cells)(cells, rows[row], columns, fold->values + (size_t)row * width);
    fold->valid = true;
    return fold->values;
}

void trace_fold_cache_clear(TraceFoldCache *cache) {
    for (int index = 0; index < TRACE_CACHED_FOLDS; index++)
        cache->folds[index].valid = false;
}

void trace_fold_cache_free(TraceFoldCache *cache) {
    for (int index = 0; index < TRACE_CACHED_FOLDS; index++)
        free_fold(&cache->folds[index]);
}

/* --- a pyramid ---------------------------------------------------------------------------- */

/* True if the spans are consecutive blocks of the level, along a side of `side` cells. */
static bool are_blocks(const TraceSpan *spans, int count, int level, int side) {
    int first = spans[0].first >> level;
    for (int i = 0; i < count; i++) {
        int last = ((first + i + 1) << level) - 1;
        if (spans[i].first != (first + i) << level ||
            spans[i].last != (last < side ? last : side - 1))
            return false;
    }
    return true;
}

/* The level whose first block is this span; 0 if none. */
static int level_of(TraceSpan span) {
    int level = 1;
    while (level < TRACE_PYRAMID_LEVELS && span.last >= 1 << level)
        level++;
    return level < TRACE_PYRAMID_LEVELS ? level : 0;
}

const float *trace_pyramid_find(const TracePyramid *pyramid, int map_rows, int map_columns,
                                const TraceSpan *rows, int row_count, const TraceColumns *columns) {
    int level = level_of(columns->spans[0]), width = columns->count;
    if (level == 0 || !pyramid->levels[level] || columns->spans[0].first != 0 ||
        columns->spans[width - 1].last != map_columns - 1 ||
        !are_blocks(columns->spans, width, level, map_columns) ||
        !are_blocks(rows, row_count, level, map_rows))
        return NULL;
    return pyramid->levels[level] + (long)(rows[0].first >> level) * width;
}
