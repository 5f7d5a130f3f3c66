/* From a task to batches of token ids. Training and held-out examples never meet: a hash of the
 * source decides which of the two a text belongs to, whoever draws it and when. */
#ifndef HEADSCOPE_DATA_TASKS_EXAMPLES_H
#define HEADSCOPE_DATA_TASKS_EXAMPLES_H

#include "data/tasks/task.h"
#include "data/tasks/vocab.h"
#include "model/network/batch.h"
#include "model/network/config.h"

typedef enum ExampleSet { EXAMPLES_TRAINING, EXAMPLES_HELD_OUT } ExampleSet;

/* The set that a source belongs to: one in 16 is held out. */
ExampleSet example_set(const char *source);

/* The `index`-th example of a set under a seed; the same each time, on any thread. The task must
 * have sources in both sets, as all of tasks_all have. */
void example_draw(const Task *task, ExampleSet set, uint64_t seed, uint64_t index,
                  TaskExample *example);

/* `count` held-out examples with pairwise different sources, always the same ones for a task; fewer
 * are the beginning of more. Returns a new array (free it); *found says how many there are, fewer
 * than asked for where thousands of draws in a row bring no new source. NULL with *error for lack
 * of memory, or a count below 1. */
TaskExample *examples_held_out(const Task *task, int count, int *found, Error *error);

/* Encodes `count` (at least 1) sources, with </s> if the config says so, and targets, <s> before
 * what is read and </s> after what is written, into `batch`, padded to the longest of these. The
 * valid lengths count those marks. ERROR_USAGE names an empty source, a character that is not in a
 * vocabulary or a text over the config's maximum; the batch is then as it was. */
bool examples_to_batch(Batch *batch, const TaskExample *examples, int count, const Config *config,
                       const Vocab *source_vocab, const Vocab *target_vocab, Error *error);

/* The same for sources alone, as running needs them: target_len is 0, and so are dec_valid_lens. */
bool sources_to_batch(Batch *batch, const char *const *sources, int count, const Config *config,
                      const Vocab *source_vocab, Error *error);

#endif
