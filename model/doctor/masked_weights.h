/* Weights to be looked at by themselves, beside the mask that they should be seen through. */
#ifndef HEADSCOPE_MODEL_DOCTOR_MASKED_WEIGHTS_H
#define HEADSCOPE_MODEL_DOCTOR_MASKED_WEIGHTS_H

#include "model/doctor/prepared_dump.h"

typedef struct MaskedWeights {
    Diagnosis *diagnosis;
    PreparedDump *prepared;
    AttentionSizes sizes;  /* one head where weights are averaged */
    const double *weights; /* [B,H,Tq,Tk] */
    double roundoff, slack, floor, relative;
    int *lens, *room, *other_room; /* owned */
    AttentionRule rule;            /* of the right mask */
} MaskedWeights;

/* False for lack of memory. */
bool masked_weights_open(MaskedWeights *w, Diagnosis *diagnosis, PreparedDump *prepared);
void masked_weights_close(MaskedWeights *w);

const double *masked_weights_at(const MaskedWeights *w, int b, int h, int t);

/* A row of weights, and the keys that the right mask shows of it. */
typedef struct MaskedRow {
    const double *weights; /* [Tk] */
    int first, end;
    DoctorPlace place; /* key -1 */
} MaskedRow;

/* The rows in order: how many, and the one at an index. */
long masked_weights_rows(const MaskedWeights *w);
MaskedRow masked_weights_row(const MaskedWeights *w, long index);

/* How many hidden cells have weight, rows that see no key left out; *zeros is how many visible
 * cells have none. */
long masked_weights_misfit(MaskedWeights *w, AttentionMistakes mistakes, long *zeros);

#endif
