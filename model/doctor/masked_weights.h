/* The weights of a dump, together with the mask that they should obey. */
#ifndef HEADSCOPE_MODEL_DOCTOR_MASKED_WEIGHTS_H
#define HEADSCOPE_MODEL_DOCTOR_MASKED_WEIGHTS_H

#include "model/doctor/prepared_dump.h"

typedef struct MaskedWeights {
    Diagnosis *diagnosis;
    PreparedDump *prepared;
    AttentionSizes sizes;          /* one head where weights are averaged */
    const double *weights;         /* [B,H,Tq,Tk] */
    double roundoff;               /* of the coarsest precision that holds all weights */
    double decimal_error;          /* of weights that were printed with few decimals */
    double floor;                  /* weights up to here count as 0 */
    double relative;               /* how far equal weights may differ */
    int *lens, *room, *other_room; /* owned */
    MaskSource mask;
    AttentionRule rule; /* of the correct mask */
} MaskedWeights;

/* Returns false if out of memory. */
bool masked_weights_open(MaskedWeights *weights, Diagnosis *diagnosis, PreparedDump *prepared);
void masked_weights_close(MaskedWeights *weights);

/* The row [Tk] of query t of head h of example b. */
const double *masked_weights_at(const MaskedWeights *weights, int b, int h, int t);

/* A row of weights, and the keys that the correct mask shows it: first to end - 1. */
typedef struct MaskedRow {
    const double *weights; /* [Tk] */
    int first, end;
    DoctorPlace place; /* key -1 */
} MaskedRow;

/* The number of rows, B*H*Tq, and the row at an index. */
long masked_weights_rows(const MaskedWeights *weights);
MaskedRow masked_weights_row(const MaskedWeights *weights, long index);

/* Returns how many cells have weight although the mask with these mistakes hides them; rows that
 * see no key do not count. *zeros (may be NULL): how many visible cells have no weight. */
long masked_weights_misfit(MaskedWeights *weights, AttentionMistakes mistakes, long *zeros);

#endif
