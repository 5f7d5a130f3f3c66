/* What may have been done in a call, right or wrong, and which mistakes are possible between two
 * points of it. */
#ifndef HEADSCOPE_MODEL_DOCTOR_DOCTOR_HYPOTHESES_H
#define HEADSCOPE_MODEL_DOCTOR_DOCTOR_HYPOTHESES_H

#include <stddef.h>

#include "model/doctor/prepared_dump.h"

/* What dropout took: cells of what is compared, or weights (known) of a context. */
typedef enum DropoutKind { DROPS_NOTHING, DROPS_CELLS, DROPS_WEIGHTS } DropoutKind;

/* {0} is right. */
typedef struct Hypothesis {
    const MistakeKind *kinds[2];
    AttentionMistakes attention;
    bool swapped;   /* queries and keys in the product */
    bool exchanged; /* w_q made the keys, and w_k the queries */
    DropoutKind dropout;
    unsigned transposed, no_bias; /* bit i: of w_q, w_k, w_v, w_o */
    double factor;                /* of what dropout kept: 1/(1-p) */
} Hypothesis;

/* Whether it is one of its kinds. */
bool hypothesis_has(const Hypothesis *hypothesis, MistakeId id);

/* What is compared, and from what. */
typedef struct Segment {
    DoctorStage from, until;
    DumpPart targets[3];
    int target_count;
    bool given[DUMP_PARTS]; /* query, key, value, weights, context: taken from the dump */
} Segment;

/* Whether a segment reads a part of the dump or compares it. */
bool segment_involves(const Segment *segment, DumpPart part);

enum { HYPOTHESIS_SINGLES = 80 };

/* All single mistakes that can be made between the segment's ends, in the order of preference;
 * returns how many. Those that change nothing whatever the numbers are left out. */
int hypothesis_singles(Hypothesis *singles, const PreparedDump *prepared, const Segment *segment);

/* Both at once; false if they do not go together. */
bool hypothesis_pair(Hypothesis *pair, const Hypothesis *one, const Hypothesis *other);

/* Why mistakes cannot be told apart on this dump, into `text`. */
void hypothesis_why_same(char *text, size_t size, const PreparedDump *prepared,
                         const Segment *segment);

#endif
