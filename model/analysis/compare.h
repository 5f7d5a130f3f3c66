/* Two maps of the same size, cell by cell and row by row. */
#ifndef HEADSCOPE_MODEL_ANALYSIS_COMPARE_H
#define HEADSCOPE_MODEL_ANALYSIS_COMPARE_H

#include "model/trace/trace.h"

/* Weights nearer than this are the same: float rows of two ways of summing differ by less. */
#define COMPARE_SAME 1e-6

/* Rows that count: those that are real in both maps (trace_set_real) and tell about one of the
 * heads (heads_row_informative), or on which the two differ by more than COMPARE_SAME all the same,
 * as where one sees a key and the other none. */
typedef struct MapComparison {
    int queries, keys;
    /* Over the cells of rows that count that either map sees; a masked one is 0. A cell that is
     * missing or no number in one of them is left out. NaN without cells. */
    double largest, mean;         /* absolute difference a - b */
    int row_largest, key_largest; /* where it is largest, the first such; -1 without cells */
    double correlation;           /* Pearson; NaN if the cells of one are all alike (to 1e-6) */
    long cells;
    /* Jensen-Shannon divergence of the rows, in bits, 0 to 1 (Lin 1991):
     *   H((p + q) / 2) - (H(p) + H(q)) / 2,  H(p) = -sum p log2 p,  0 log2 0 = 0.
     * 1 where one map sees no key and the other does, as for two rows with no key in common; NaN
     * where the row does not count, or a cell is missing or no number. */
    double *row_divergence; /* [queries], owned */
    double divergence;      /* their mean; NaN without rows */
    int rows;               /* that it is over */
} MapComparison;

/* ERROR_USAGE if the sizes differ (it says both) or a trace lacks its head. */
bool compare_maps(MapComparison *comparison, const Trace *a, HeadId a_id, const Trace *b,
                  HeadId b_id, Error *error);
void comparison_free(MapComparison *comparison); /* {0} is fine */

typedef enum MapsSame {
    MAPS_DIFFERENT,     /* some row that tells differs, or the sizes do */
    MAPS_SAME,          /* all rows that tell are the same, to COMPARE_SAME in each cell */
    MAPS_UNINFORMATIVE, /* no row tells, so that right and wrong heads would look alike */
} MapsSame;

/* Over the rows that tell about both heads (heads_row_informative) and have no broken cell. Two
 * heads that are the same hint at a wrong split of heads; that they differ proves no right one. */
MapsSame compare_identical(const Trace *a, HeadId a_id, const Trace *b, HeadId b_id);

#endif
