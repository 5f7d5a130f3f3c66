/* How long calls of multi-head attention take on this machine, with the fast kernel on one thread:
 * projections, attention and output projection, as model/network/multihead.h does them. */
#ifndef HEADSCOPE_APP_LESSONS_COST_TIME_H
#define HEADSCOPE_APP_LESSONS_COST_TIME_H

#include "model/analysis/cost.h"

/* How much to measure. */
typedef struct CostEffort {
    int rounds; /* each call once a round, in turn; the median of them is told */
    double
        min_operations; /* operations a measurement: a smaller call is done several times in it */
    double max_operations; /* operations of all rounds: calls past that are not measured */
} CostEffort;

/* ms[count] = milliseconds of one call each, NAN for those past the effort; earlier ones go first.
 * False with *error for lack of memory. */
bool cost_times(double *ms, const CostCall *calls, int count, CostEffort effort, Error *error);

#endif
