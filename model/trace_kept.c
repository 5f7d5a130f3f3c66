#include "model/trace_kept.h"

#include <stdlib.h>
#include <string.h>

#include "model/large_memory.h"

static bool is_fold(const TraceKeptFold *fold, const TraceSpan *rows, int row_count,
                    const TraceColumns *columns) {
    return fold->values && fold->rows == row_count && fold->columns == columns->count &&
           memcmp(fold->spans, rows, (size_t)row_count * sizeof *rows) == 0 &&
           memcmp(fold->spans + row_count, columns->spans, (size_t)columns->count * sizeof *rows) ==
               0;
}

static void to_front(TraceKept *kept, int index) {
    TraceKeptFold fold = kept->folds[index];
    for (; index > 0; index--)
        kept->folds[index] = kept->folds[index - 1];
    kept->folds[0] = fold;
}

const float *trace_kept_find(TraceKept *kept, const TraceSpan *rows, int row_count,
                             const TraceColumns *columns) {
    for (int index = 0; index < TRACE_KEPT; index++) {
        if (!is_fold(&kept->folds[index], rows, row_count, columns)) continue;
        to_front(kept, index);
        return kept->folds[0].values;
    }
    return NULL;
}

static size_t size_of(const TraceKeptFold *fold) {
    return (size_t)fold->rows * (size_t)fold->columns * sizeof *fold->values;
}

static void free_fold(TraceKeptFold *fold) {
    free(fold->spans);
    large_memory_free(fold->values, size_of(fold));
    *fold = (TraceKeptFold){0};
}

const float *trace_kept_make(TraceKept *kept, const TraceCells *cells, const TraceSpan *rows,
                             int row_count, const TraceColumns *columns) {
    to_front(kept, TRACE_KEPT - 1);
    TraceKeptFold *fold = &kept->folds[0];
    size_t row_size = (size_t)row_count * sizeof *rows;
    size_t column_size = (size_t)columns->count * sizeof *rows;
    if (fold->rows != row_count || fold->columns != columns->count) {
        free_fold(fold);
        fold->rows = row_count;
        fold->columns = columns->count;
        fold->spans = malloc(row_size + column_size);
        fold->values = large_memory(size_of(fold));
        if (!fold->spans || !fold->values) {
            free_fold(fold);
            return NULL;
        }
    }
    memcpy(fold->spans, rows, row_size);
    memcpy(fold->spans + row_count, columns->spans, column_size);
    for (int row = 0; row < row_count; row++)
        trace_fold_cells(cells, rows[row], columns,
                         fold->values + (size_t)row * (size_t)columns->count);
    return fold->values;
}

void trace_kept_free(TraceKept *kept) {
    for (int index = 0; index < TRACE_KEPT; index++)
        free_fold(&kept->folds[index]);
}
