#include "model/trace/trace_kept.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/large_memory.h"

static bool is_of(const TraceKeptFold *fold, const TraceSpan *rows, int row_count,
                  const TraceColumns *columns) {
    return fold->spans && fold->rows == row_count && fold->columns == columns->count &&
           memcmp(fold->spans, rows, (size_t)row_count * sizeof *rows) == 0 &&
           memcmp(fold->spans + row_count, columns->spans, (size_t)columns->count * sizeof *rows) ==
               0;
}

static size_t size_of(const TraceKeptFold *fold) {
    return (size_t)fold->rows * (size_t)fold->columns * sizeof *fold->values;
}

static void free_fold(TraceKeptFold *fold) {
    free(fold->spans);
    if (fold->values) large_memory_free(fold->values, size_of(fold));
    *fold = (TraceKeptFold){0};
}

static void to_front(TraceKept *kept, int index) {
    TraceKeptFold fold = kept->folds[index];
    for (; index > 0; index--)
        kept->folds[index] = kept->folds[index - 1];
    kept->folds[0] = fold;
}

static void note(TraceKeptFold *fold, const TraceSpan *rows, int row_count,
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

const float *trace_kept_folds(TraceKept *kept, const TraceCells *cells, const TraceSpan *rows,
                              int row_count, const TraceColumns *columns) {
    int index = 0;
    while (index < TRACE_KEPT && !is_of(&kept->folds[index], rows, row_count, columns))
        index++;
    bool known = index < TRACE_KEPT;
    to_front(kept, known ? index : TRACE_KEPT - 1);
    TraceKeptFold *fold = &kept->folds[0];
    if (!known) {
        note(fold, rows, row_count, columns);
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

void trace_kept_forget(TraceKept *kept) {
    for (int index = 0; index < TRACE_KEPT; index++)
        kept->folds[index].valid = false;
}

void trace_kept_free(TraceKept *kept) {
    for (int index = 0; index < TRACE_KEPT; index++)
        free_fold(&kept->folds[index]);
}
