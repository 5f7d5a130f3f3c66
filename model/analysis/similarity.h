/* How alike the heads of one site are, all with all. */
#ifndef HEADSCOPE_MODEL_ANALYSIS_SIMILARITY_H
#define HEADSCOPE_MODEL_ANALYSIS_SIMILARITY_H

#include "model/trace/trace.h"

typedef struct HeadPair {
    int a, b; /* heads of the matrix, a < b */
} HeadPair;

/* Heads are counted layer by layer: head h of layer l is l * heads + h. */
typedef struct Similarity {
    Site site;
    int count;     /* n */
    HeadId *heads; /* [n], owned, as the next ones */
    /* [n,n] 1 - the mean Jensen-Shannon divergence of the rows in bits (compare.h; 1e-5 near): 1
     * the same, 0 no key in common. Over the rows that count there and have no broken cell; NaN if
     * there is none. */
    float *values;
    /* [n] a permutation that puts alike heads side by side: the leaves of the tree that clustering
     * by average linkage gives (Sokal and Michener 1958), each branch turned so that its nearest
     * ends meet (Gruvaeus and Wainer 1972). Of equals the first is taken: always the same order. */
    int *order;
    HeadPair *same; /* [same_count] pairs for which compare_identical says MAPS_SAME */
    int same_count;
    bool uninformative; /* no row tells about any two heads */
} Similarity;

enum { SIMILARITY_HEADS_MAX = 512 };

/* ERROR_USAGE for a site that the trace lacks or one with more than SIMILARITY_HEADS_MAX heads. */
bool similarity_make(Similarity *similarity, const Trace *trace, Site site, Error *error);
void similarity_free(Similarity *similarity); /* {0} is fine */

/* The index of a head; -1 if it is not of this site. */
int similarity_place(const Similarity *similarity, HeadId id);

#endif
