/* Many sources through a model, shared out over threads. */
#ifndef HEADSCOPE_APP_PASS_OUTPUTS_H
#define HEADSCOPE_APP_PASS_OUTPUTS_H

#include "data/models/checkpoint.h"
#include "data/tasks/examples.h"
#include "model/decoding/decode.h"

/* The output for each source: out[count], made here (decoded_free). Beam 1 is greedy. The result
 * does not depend on the number of threads. ERROR_USAGE for a source that the model cannot read. */
bool outputs_make(Decoded *out, const Model *model, const char *const *sources, int count, int beam,
                  int threads, Error *error);

/* How many of the outputs are no choice of the model's, since it gave NaN for every token: weights
 * so large that a product overflows. */
int outputs_not_numbers(const Decoded *out, int count);

/* Held-out examples of the model's own task: a new array of *found (free it); that there are fewer
 * than `count` is said on standard error. NULL with *error; ERROR_USAGE for a model of no task
 * here, which names its file and says what to do `instead`. */
TaskExample *outputs_held_out(const Model *model, const char *path, const char *instead, int count,
                              int *found, Error *error);

/* How well a model does on examples. */
typedef struct Score {
    int examples, exact;       /* whole outputs that are right */
    long tokens, right_tokens; /* of the targets with their end marks, place by place */
    int not_numbers;           /* outputs_not_numbers */
} Score;

bool outputs_score(Score *score, const Model *model, const TaskExample *examples, int count,
                   int threads, Error *error);

#endif
