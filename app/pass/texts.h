/* Runs a model over many texts, decoded or teacher forced, on several threads. Results never depend
 * on the number of threads. For one or two texts with all that is shown of them see
 * app/pass/pass.h. */
#ifndef HEADSCOPE_APP_PASS_TEXTS_H
#define HEADSCOPE_APP_PASS_TEXTS_H

#include "app/cli/options.h"
#include "data/models/checkpoint.h"
#include "data/tasks/examples.h"
#include "model/decoding/decode.h"

/* Fits the workspace to the batch and runs the model over it, teacher forced. False for lack of
 * memory. */
bool texts_forward(Workspace *workspace, const Config *config, const Params *params,
                   const Batch *batch, ForwardOptions options, Error *error);

/* Calls job(context, first, count, error) for `count` texts in chunks of `size`, which is fixed so
 * that threads do not matter. Reports the failure of the first chunk that failed. */
typedef bool TextsJob(void *context, int first, int count, Error *error);
bool texts_share(int count, int size, int threads, TextsJob *job, void *context, Error *error);

/* The output for each source: out[count], made here (decoded_free). Beam 1 is greedy. ERROR_USAGE
 * for a source that the model cannot read. */
bool texts_decode(Decoded *out, const Model *model, const char *const *sources, int count, int beam,
                  int threads, Error *error);

/* Counts the outputs with NaN log-probabilities: products of very large weights overflow. */
int texts_not_numbers(const Decoded *out, int count);

/* Held-out examples of the model's own task: a new array of *found (free it); if there are fewer
 * than `count`, standard error says so. NULL with *error; ERROR_USAGE for a model of no task
 * here, which names its file and says what to do `instead`. */
TaskExample *texts_held_out(const Model *model, const char *path, const char *instead, int count,
                            int *found, Error *error);

/* How well a model does on examples. */
typedef struct Score {
    int examples, exact;       /* exact: outputs equal to the target */
    long tokens, right_tokens; /* of the targets with their end marks, place by place */
    int not_numbers;           /* texts_not_numbers */
} Score;

bool texts_score(Score *score, const Model *model, const TaskExample *examples, int count,
                 int threads, Error *error);

/* Texts with their targets, for teacher forcing. */
typedef struct Texts {
    Batch batch;
    char name[80]; /* "200 held-out examples of dates" */
} Texts;

/* The inputs, each with the model's own output (greedy) as target; without any, `count` held-out
 * examples of the model's task with the task's targets, or as many as there are. ERROR_USAGE for an
 * input that the model cannot read, and without inputs for a model of no task; `path` names the
 * model in messages. */
bool texts_make(Texts *texts, const Model *model, const char *path, const TextList *inputs,
                int count, int threads, Error *error);
void texts_free(Texts *texts); /* {0} is fine */

#endif
