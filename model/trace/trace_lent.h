/* Folds of a map that its source made as it went through it: levels of a pyramid. */
#ifndef HEADSCOPE_MODEL_TRACE_TRACE_LENT_H
#define HEADSCOPE_MODEL_TRACE_TRACE_LENT_H

#include "model/trace/trace_fold.h"

/* Level l has a value for each block of 2^l x 2^l cells. */
enum { TRACE_LENT_LEVELS = 18 };

typedef struct TraceLent {
    const float *levels[TRACE_LENT_LEVELS]; /* not owned; NULL: not lent */
} TraceLent;

/* Of the level whose blocks these very spans are, all of its columns and some of its rows, of a map
 * of so many rows and columns: the values from the first of the rows on. NULL if there is none. */
const float *trace_lent_find(const TraceLent *lent, int map_rows, int map_columns,
                             const TraceSpan *rows, int row_count, const TraceColumns *columns);

#endif
