/* Folds of a map that are kept: it is often drawn at one size, or at two. */
#ifndef HEADSCOPE_MODEL_TRACE_KEPT_H
#define HEADSCOPE_MODEL_TRACE_KEPT_H

#include "model/trace_fold.h"

enum { TRACE_KEPT = 2 };

typedef struct TraceKeptFold {
    TraceSpan *spans; /* [rows + columns] */
    int rows, columns;
    float *values; /* [rows, columns]; NULL: there is none */
} TraceKeptFold;

typedef struct TraceKept {
    TraceKeptFold folds[TRACE_KEPT]; /* the one that was asked for last is the first */
} TraceKept;

/* The values of these very spans, [row_count, columns->count]; NULL if they are not kept. */
const float *trace_kept_find(TraceKept *kept, const TraceSpan *rows, int row_count,
                             const TraceColumns *columns);

/* Folds them, in place of the fold that was not asked for the longest. NULL for lack of memory. */
const float *trace_kept_make(TraceKept *kept, const TraceCells *cells, const TraceSpan *rows,
                             int row_count, const TraceColumns *columns);

/* Keeps nothing any more. */
void trace_kept_free(TraceKept *kept);

#endif
