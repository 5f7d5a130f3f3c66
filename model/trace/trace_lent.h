/* A pyramid of folds that the source of a map made while it read the map. */
#ifndef HEADSCOPE_MODEL_TRACE_TRACE_LENT_H
#define HEADSCOPE_MODEL_TRACE_TRACE_LENT_H

#include "model/trace/trace_fold.h"

/* Level l holds one value for each block of 2^l x 2^l cells. */
enum { TRACE_LENT_LEVELS = 18 };

typedef struct TraceLent {
    const float *levels[TRACE_LENT_LEVELS]; /* not owned; NULL: not lent */
} TraceLent;

/* Returns the pyramid level whose blocks match these spans (all columns, any rows), starting at
 * rows[0]; NULL if no level matches. The map has map_rows x map_columns cells. */
const float *trace_lent_find(const TraceLent *lent, int map_rows, int map_columns,
                             const TraceSpan *rows, int row_count, const TraceColumns *columns);

#endif
