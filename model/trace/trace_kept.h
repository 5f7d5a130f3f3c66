/* A cache of a map's folds: a window draws the same map again and again at one or two sizes. */
#ifndef HEADSCOPE_MODEL_TRACE_TRACE_KEPT_H
#define HEADSCOPE_MODEL_TRACE_TRACE_KEPT_H

#include "model/trace/trace_fold.h"

enum { TRACE_KEPT = 2 };

/* The spans that were asked for, and their folds. */
typedef struct TraceKeptFold {
    TraceSpan *spans; /* [rows + columns] */
    int rows, columns;
    float *values; /* [rows, columns]; NULL: asked for only once so far */
    bool valid;
} TraceKeptFold;

typedef struct TraceKept {
    TraceKeptFold folds[TRACE_KEPT]; /* most recently used first */
} TraceKept;

/* Returns the folds of all these spans, [row_count, columns->count]. NULL for lack of memory, and
 * on the first request: a map that is drawn only once is not worth the memory. Replaces the least
 * recently used entry. */
const float *trace_kept_folds(TraceKept *kept, const TraceCells *cells, const TraceSpan *rows,
                              int row_count, const TraceColumns *columns);

/* The map has changed. */
void trace_kept_forget(TraceKept *kept);

void trace_kept_free(TraceKept *kept);

#endif
