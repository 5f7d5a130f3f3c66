/* Folds of a map that are kept: in a window it is drawn again and again at one size, or at two. */
#ifndef HEADSCOPE_MODEL_TRACE_TRACE_KEPT_H
#define HEADSCOPE_MODEL_TRACE_TRACE_KEPT_H

#include "model/trace/trace_fold.h"

enum { TRACE_KEPT = 2 };

/* What was asked for, and what it is. */
typedef struct TraceKeptFold {
    TraceSpan *spans; /* [rows + columns] */
    int rows, columns;
    float *values; /* [rows, columns]; NULL: they were asked for once */
    bool valid;
} TraceKeptFold;

typedef struct TraceKept {
    TraceKeptFold folds[TRACE_KEPT]; /* the one that was asked for last is the first */
} TraceKept;

/* = the folds of all these spans, [row_count, columns->count]. NULL for lack of memory, and when
 * they are asked for the first time: what is drawn but once is not worth memory. They take the
 * place of what was not asked for the longest. */
const float *trace_kept_folds(TraceKept *kept, const TraceCells *cells, const TraceSpan *rows,
                              int row_count, const TraceColumns *columns);

/* The map has changed. */
void trace_kept_forget(TraceKept *kept);

void trace_kept_free(TraceKept *kept);

#endif
