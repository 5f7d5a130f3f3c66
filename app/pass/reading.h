/* What a model makes of one input: its output and the maps of every head on the way. */
#ifndef HEADSCOPE_APP_PASS_READING_H
#define HEADSCOPE_APP_PASS_READING_H

#include "data/models/checkpoint.h"
#include "model/trace/trace.h"

typedef struct Reading {
    char *input, *output;           /* texts */
    int source_count, target_count; /* S and T, marks included */
    const char **source;            /* [S] tokens, with </s> where the model reads it */
    const char **reads;             /* [T] what the decoder reads: <s> first */
    const char **writes;            /* [T] what it writes: </s> last */
    char **steps;                   /* [T] "m→o": reads m, writes o */
    Trace *trace;
} Reading;

/* Decodes greedily, then runs the model once over input and output. The tokens are the model's
 * own, which must stay. ERROR_USAGE if the model cannot read the input. */
bool reading_make(Reading *reading, const Model *model, const char *input, Error *error);
void reading_free(Reading *reading); /* {0} is fine */

#endif
