/* Where each number of a split tensor came from: follows indices through a HeadFold, the same
 * struct by which the kernels read, so the results hold for the kernels. */
#ifndef HEADSCOPE_MODEL_ANALYSIS_PROVENANCE_H
#define HEADSCOPE_MODEL_ANALYSIS_PROVENANCE_H

#include "model/kernels/mistakes.h"

/* A packed tensor [B,steps,W] and its split into heads [B,H,steps,D], W = H*D. */
typedef struct ProvenanceShape {
    int batch, steps, heads, head_width;
} ProvenanceShape;

/* A place in [B,H,steps,D]. For a number in [B,steps,W]: its place by the correct fold. */
typedef struct Provenance {
    int example, head, step, element;
} Provenance;

/* The number of elements of such a tensor. */
long provenance_count(ProvenanceShape shape);

/* The correct place of the number at `index` of a packed [B,steps,W]. */
Provenance provenance_at(ProvenanceShape shape, long index);

/* Split: the correct place of the number that a kernel reads by `fold` at `place`; equals `place`
 * if the fold is correct. */
Provenance provenance_read(HeadFold fold, ProvenanceShape shape, Provenance place);

/* Concatenation: the place in [B,H,steps,D] of the number that `fold` writes to `index` of a packed
 * [B,steps,W]; example -1 if it writes none there. The fold's strides must nest, as those of
 * fold_of_kind do, so that no two places are written to one index. */
Provenance provenance_written(HeadFold fold, ProvenanceShape shape, long index);

/* How many numbers a fold puts in a wrong place. A number may be in several of these counts. */
typedef struct ProvenanceCount {
    long all;
    long misplaced; /* wrong in any way */
    long wrong_example, wrong_head, wrong_step, wrong_element;
} ProvenanceCount;

/* Counts the misplaced numbers of a split by `fold`; a concatenation by the same fold misplaces as
 * many.
 */
ProvenanceCount provenance_count_fold(HeadFold fold, ProvenanceShape shape);

/* The valid length that folded row b*H+h reads. */
typedef struct ProvenanceLength {
    int example;    /* whose length it is; -1 if none is read */
    int first, end; /* the row sees keys first to end-1 */
} ProvenanceLength;

typedef struct ProvenanceLengthCount {
    int all;
    int other_example; /* rows that read another example's length, or none */
    int other_keys;    /* rows that do not see exactly the valid keys of their example */
} ProvenanceLengthCount;

/* rows [B*H] `=` what valid_lens [B], each 0..keys, become by attention_rule_make with `kind`. room
 * [2*B*H]. */
ProvenanceLengthCount provenance_lengths(ProvenanceLength *rows, int *room, LengthsKind kind,
                                         const int *valid_lens, int keys, int batch, int heads);

#endif
