/* Measures calls of multi-head attention (projections, attention, output projection) on this
 * machine: fast kernel, one thread, the steps of model/network/multihead.h. */
#ifndef HEADSCOPE_APP_LESSONS_COST_TIME_H
#define HEADSCOPE_APP_LESSONS_COST_TIME_H

#include "model/analysis/cost.h"

/* How much to measure. */
typedef struct CostEffort {
    int rounds;            /* every call is timed once per round; the median counts */
    double min_operations; /* per measurement: a smaller call is repeated */
    double max_operations; /* of all rounds: calls beyond it are not measured */
} CostEffort;

/* ms[count] = milliseconds per call; NAN for calls beyond the effort, counted from the first. False
 * with *error if out of memory. */
bool cost_times(double *ms, const CostCall *calls, int count, CostEffort effort, Error *error);

#endif
