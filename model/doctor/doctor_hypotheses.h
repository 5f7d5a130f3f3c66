/* Hypotheses of how a call was computed, right or wrong, and which mistakes are possible between
 * two of its stages. */
#ifndef HEADSCOPE_MODEL_DOCTOR_DOCTOR_HYPOTHESES_H
#define HEADSCOPE_MODEL_DOCTOR_DOCTOR_HYPOTHESES_H

#include <stddef.h>

#include "model/doctor/prepared_dump.h"

/* What dropout zeroed: cells of the compared tensor, or the weights that a context was mixed with.
 */
typedef enum DropoutKind { DROPS_NOTHING, DROPS_CELLS, DROPS_WEIGHTS } DropoutKind;

/* {0} is the right formula. */
typedef struct Hypothesis {
    const MistakeKind *kinds[2];
    AttentionMistakes attention;
    bool swapped;   /* queries and keys, in the scores */
    bool exchanged; /* w_q and w_k: w_q made the keys */
    DropoutKind dropout;
    unsigned transposed, no_bias; /* bit i: of w_q, w_k, w_v, w_o */
    double factor;                /* dropout multiplied what it kept by: 1/(1-p) */
} Hypothesis;

/* True if the mistake is one of the hypothesis' kinds. */
bool hypothesis_has(const Hypothesis *hypothesis, MistakeId id);

/* The stages from `from` to `until`: which tensors are compared, and what they are computed from.
 */
typedef struct Segment {
    DoctorStage from, until;
    DumpPart targets[3];
    int target_count;
    bool given[DUMP_PARTS]; /* query, key, value, weights, context: taken from the dump, rather
                               than computed */
} Segment;

/* True if the segment reads or compares a part of the dump. */
bool segment_involves(const Segment *segment, DumpPart part);

enum { HYPOTHESIS_SINGLES = 80 };

/* Writes all single mistakes that the segment's stages can make, in order of preference, without
 * those that change nothing whatever the numbers; returns how many. */
int hypothesis_singles(Hypothesis *singles, const PreparedDump *prepared, const Segment *segment);

/* *pair = both mistakes at once. Returns false if they exclude each other. */
bool hypothesis_pair(Hypothesis *pair, const Hypothesis *one, const Hypothesis *other);

/* Writes why mistakes cannot be told apart on this dump: "there is one head". */
void hypothesis_why_same(char *text, size_t size, const PreparedDump *prepared,
                         const Segment *segment);

#endif
