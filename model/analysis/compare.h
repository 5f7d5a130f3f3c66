/* Compares two maps of the same size, cell by cell and row by row. */
#ifndef HEADSCOPE_MODEL_ANALYSIS_COMPARE_H
#define HEADSCOPE_MODEL_ANALYSIS_COMPARE_H

#include "model/trace/trace.h"

/* Weights nearer than this count as equal: different orders of summation in float differ by less.
 */
#define COMPARE_SAME 1e-6

/* Only rows that are real in both maps (trace_set_real) count, and of these the ones that are
 * informative in either map (heads_row_informative) or differ by more than COMPARE_SAME, for
 * example because one sees a key and the other none. */
typedef struct MapComparison {
    int queries, keys;
    /* Over the cells of these rows that are not masked in both maps; a masked weight is 0. Cells
     * that are missing or not a number in either map are skipped. NaN without cells. */
    double largest, mean;         /* absolute difference a - b */
    int row_largest, key_largest; /* the first cell with the largest difference; -1 without cells */
    double correlation;           /* Pearson; NaN if one map is constant (within COMPARE_SAME) */
    long cells;
    /* Jensen-Shannon divergence of the rows, in bits, 0 to 1 (Lin 1991):
     *   H((p + q) / 2) - (H(p) + H(q)) / 2,  H(p) = -sum p log2 p,  0 log2 0 = 0.
     * 1 if only one of the maps sees a key, as for two rows with no key in common; NaN if the row
     * does not count, or a cell is missing or not a number. */
    double *row_divergence; /* [queries], owned */
    double divergence;      /* their mean; NaN without rows */
    int rows;               /* the number of rows in that mean */
} MapComparison;

/* False with ERROR_USAGE if the sizes differ or a trace lacks its head. */
bool compare_maps(MapComparison *comparison, const Trace *a, HeadId a_id, const Trace *b,
                  HeadId b_id, Error *error);
void comparison_free(MapComparison *comparison); /* {0} is fine */

typedef enum MapsSame {
    MAPS_DIFFERENT,     /* some informative row differs, or the sizes do */
    MAPS_SAME,          /* all informative rows are equal, within COMPARE_SAME in each cell */
    MAPS_UNINFORMATIVE, /* no row is informative: correct and wrong heads would look the same */
} MapsSame;

/* Compares the rows that are informative in both maps and have no missing or NaN cell. Two equal
 * heads suggest a wrong split of heads; different heads do not prove a correct one. */
MapsSame compare_identical(const Trace *a, HeadId a_id, const Trace *b, HeadId b_id);

#endif
