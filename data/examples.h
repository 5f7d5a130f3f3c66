/* From a task to batches of token ids. Training and held-out examples never meet: a hash of the
 * source decides which of the two a text belongs to, whoever draws it and when. */
#ifndef HEADSCOPE_DATA_EXAMPLES_H
#define HEADSCOPE_DATA_EXAMPLES_H

#include "data/task.h"
#include "data/vocab.h"
#include "model/batch.h"
#include "model/config.h"

typedef enum ExampleSet { EXAMPLES_TRAINING, EXAMPLES_HELD_OUT } ExampleSet;

/* The set that a source belongs to: one in 16 is held out. */
ExampleSet example_set(const char *source);

/* The `index`-th example of a set under a seed; the same each time, on any thread. */
void example_draw(const Task *task, ExampleSet set, uint64_t seed, uint64_t index,
                  TaskExample *example);

/* `count` held-out examples with pairwise different sources, always the same ones for a task.
 * Returns a new array (free it); *found says how many there are, fewer than asked for where the
 * task has no more. NULL with *error for lack of memory. */
TaskExample *examples_held_out(const Task *task, int count, int *found, Error *error);

/* Encodes sources (with </s> if the config says so) and targets (<s> before what is read, </s>
 * after what is written) into `batch`, padded to the longest of these. ERROR_USAGE names a
 * character that is not in a vocabulary or a text over the config's maximum. */
bool examples_to_batch(Batch *batch, const TaskExample *examples, int count, const Config *config,
                       const Vocab *source_vocab, const Vocab *target_vocab, Error *error);

/* The same for sources alone, as running needs them: target_len is 0. Any length of text. */
bool sources_to_batch(Batch *batch, const char *const *sources, int count, const Config *config,
                      const Vocab *source_vocab, Error *error);

#endif
