/* Where each number of a split tensor came from: indices followed instead of values. `HeadFold` is
 * the map and nothing else is known here of any way to fold, so what holds for these indices holds
 * for the numbers that a kernel reads by the same fold. */
#ifndef HEADSCOPE_MODEL_ANALYSIS_PROVENANCE_H
#define HEADSCOPE_MODEL_ANALYSIS_PROVENANCE_H

#include "model/kernels/mistakes.h"

/* A packed tensor [B,steps,W] and its split into heads [B,H,steps,D], W = H*D. */
typedef struct ProvenanceShape {
    int batch, steps, heads, head_width;
} ProvenanceShape;

/* A place in [B,H,steps,D]. Of a number in [B,steps,W]: the place where the right fold puts it. */
typedef struct Provenance {
    int example, head, step, element;
} Provenance;

/* The numbers in such a tensor. */
long provenance_count(ProvenanceShape shape);

/* Where the number at `index` of a packed [B,steps,W] belongs. */
Provenance provenance_at(ProvenanceShape shape, long index);

/* Split: where the number belongs that a kernel reads by `fold` at `place`. The same as `place` if
 * the fold is right. */
Provenance provenance_read(HeadFold fold, ProvenanceShape shape, Provenance place);

/* Concatenation: the place in [B,H,steps,D] of the number that `fold` writes to `index` of a packed
 * [B,steps,W]; example -1: it writes none there. For folds whose strides nest, as all of
 * fold_of_kind's do: no two places are written to one index. */
Provenance provenance_written(HeadFold fold, ProvenanceShape shape, long index);

/* How many numbers a fold brings to a place that is not theirs. One number may be in several of
 * these counts. */
typedef struct ProvenanceCount {
    long all;
    long misplaced; /* in any wrong place */
    long wrong_example, wrong_head, wrong_step, wrong_element;
} ProvenanceCount;

/* Of a split by `fold`, without room for the origins. A concatenation by the same fold brings as
 * many numbers to wrong places. */
ProvenanceCount provenance_count_fold(HeadFold fold, ProvenanceShape shape);

/* The valid length that lies beside folded row b*H+h. */
typedef struct ProvenanceLength {
    int example;    /* whose length the row reads; -1: none is read */
    int first, end; /* the keys that it lets the row see: first to end-1 */
} ProvenanceLength;

typedef struct ProvenanceLengthCount {
    int all;
    int other_example; /* rows that read another example's length, or none */
    int other_keys;    /* rows that see other keys than the length of their example lets them see */
} ProvenanceLengthCount;

/* rows [B*H] `=`, from valid_lens [B], each 0..keys, lined up in that way: what
 * attention_rule_make gives the kernel. room: [2*B*H]. */
ProvenanceLengthCount provenance_lengths(ProvenanceLength *rows, int *room, LengthsKind way,
                                         const int *valid_lens, int keys, int batch, int heads);

#endif
