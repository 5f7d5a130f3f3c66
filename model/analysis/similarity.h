/* The pairwise similarity of all heads of a site. */
#ifndef HEADSCOPE_MODEL_ANALYSIS_SIMILARITY_H
#define HEADSCOPE_MODEL_ANALYSIS_SIMILARITY_H

#include "model/trace/trace.h"

typedef struct HeadPair {
    int a, b; /* heads of the matrix, a < b */
} HeadPair;

/* Heads are numbered layer by layer: head h of layer l is l * heads + h. */
typedef struct Similarity {
    Site site;
    int count;     /* n */
    HeadId *heads; /* [n], owned, as the arrays below */
    /* [n,n] 1 - the mean Jensen-Shannon divergence of the rows in bits, within 1e-5: 1 for equal
     * maps, 0 for no key in common. Over the rows that compare_maps counts and that have no missing
     * or NaN cell; NaN without rows. */
    float *values;
    /* [n] a permutation that puts similar heads side by side: the leaf order of average-linkage
     * clustering (Sokal and Michener 1958), each branch flipped so that its most similar ends meet
     * (Gruvaeus and Wainer 1972). Ties take the first, so the order is deterministic. */
    int *order;
    HeadPair *same; /* [same_count] pairs for which compare_identical says MAPS_SAME */
    int same_count;
    bool uninformative; /* no row is informative about any two heads */
} Similarity;

enum { SIMILARITY_HEADS_MAX = 512 };

/* False with ERROR_USAGE if the trace lacks the site or it has more than SIMILARITY_HEADS_MAX
 * heads. */
bool similarity_make(Similarity *similarity, const Trace *trace, Site site, Error *error);
void similarity_free(Similarity *similarity); /* {0} is fine */

/* The index of a head; -1 if it is not at this site. */
int similarity_place(const Similarity *similarity, HeadId id);

#endif
