/* What somebody's own multi-head attention leaves behind, with a mistake or two made in it: every
 * step is a copy into a tensor of its own, written apart from the kernels and from the doctor. */
#ifndef HEADSCOPE_TESTS_MODEL_HELPER_DUMP_H
#define HEADSCOPE_TESTS_MODEL_HELPER_DUMP_H

#include "model/base/rng.h"
#include "model/doctor/doctor.h"

enum { MADE_MISTAKES = 3, MADE_LENS = 512 };

typedef struct MadeDump {
    AttentionSizes sizes;
    Site site;
    DumpPrecision precision, compute; /* of what is dumped, and of what is computed in between */
    bool biased, per_query, empty_uniform;
    const char *mistakes[MADE_MISTAKES]; /* names of kinds; NULL: none */
    unsigned seed;
    double *parts[DUMP_PARTS]; /* owned */
    double *query_split, *key_split, *value_split, *context_split;
    int lens[MADE_LENS];
    bool has_lens, causal;
    bool lens_set;      /* they are not drawn */
    bool dropped_later; /* the weights are dumped before dropout, as in D2L */
    Dump dump;          /* of everything; parts may be taken out of it */
} MadeDump;

/* Random numbers, lengths and all that follows from them. */
void helper_dump_make(MadeDump *made);
void helper_dump_free(MadeDump *made);

/* Takes a part out of the dump. */
void helper_dump_without(MadeDump *made, DumpPart part);

/* The nearest number of that precision. */
double helper_rounded(double x, DumpPrecision precision);

#endif
