#include "data/tasks/examples.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    HELD_OUT_SHARE = 16, /* one source in so many */
    MAX_DRAWS = 100000,  /* (15/16)^100000: no task with held-out sources gets here */
    MAX_REPEATS = 20000, /* draws in a row without a new source */
};

/* Keeps examples apart from whatever else a run draws under its seed. */
static const uint64_t examples_stream = 0x6578616D706C6573u;
static const uint64_t held_out_seed = 0x68656C64206F7574u;

ExampleSet example_set(const char *source) {
    uint64_t hash = rng_hash_bytes(source, strlen(source));
    return hash % HELD_OUT_SHARE == 0 ? EXAMPLES_HELD_OUT : EXAMPLES_TRAINING;
}

void example_draw(const Task *task, ExampleSet set, uint64_t seed, uint64_t index,
                  TaskExample *example) {
    Rng rng = rng_make(seed, rng_mix(index ^ examples_stream));
    for (int draws = 0; draws < MAX_DRAWS; draws++) {
        task->make(&rng, example);
        if (example_set(example->source) == set) return;
    }
    assert(0 && "the task has no source in this set");
}

/* A set of sources: open addressing over indices into the examples, -1 where there is none. */
typedef struct SourceSet {
    int *slots;
    size_t mask; /* slots - 1; their number is a power of two, at least twice the examples */
} SourceSet;

static bool source_set_make(SourceSet *set, int count) {
    size_t slots = 16;
    while (slots < 2 * (size_t)count)
        slots *= 2;
    set->mask = slots - 1;
    set->slots = malloc(slots * sizeof *set->slots);
    if (set->slots) memset(set->slots, 0xFF, slots * sizeof *set->slots);
    return set->slots != NULL;
}

/* Adds the source of examples[index]; false if an earlier one has the same. */
static bool source_set_add(SourceSet *set, const TaskExample *examples, int index) {
    const char *source = examples[index].source;
    /* The share is divided out: its bits are the same in all held-out hashes. */
    size_t slot = (rng_hash_bytes(source, strlen(source)) / HELD_OUT_SHARE) & set->mask;
    for (; set->slots[slot] >= 0; slot = (slot + 1) & set->mask)
        if (strcmp(examples[set->slots[slot]].source, source) == 0) return false;
    set->slots[slot] = index;
    return true;
}

TaskExample *examples_held_out(const Task *task, int count, int *found, Error *error) {
    *found = 0;
    if (count < 1) {
        error_usage(error, "the number of held-out examples is %d; it must be at least 1", count);
        return NULL;
    }
    SourceSet set = {0};
    TaskExample *examples = malloc((size_t)count * sizeof *examples);
    if (!examples || !source_set_make(&set, count)) {
        free(examples);
        error_set(error, "out of memory for %d held-out examples", count);
        return NULL;
    }
    uint64_t index = 0;
    for (int repeats = 0; *found < count && repeats < MAX_REPEATS; repeats++) {
        example_draw(task, EXAMPLES_HELD_OUT, held_out_seed, index++, &examples[*found]);
        if (!source_set_add(&set, examples, *found)) continue;
        ++*found;
        repeats = -1;
    }
    free(set.slots);
    return examples;
}

/* The length of a source in the batch, end mark included; -1 if it cannot be read. */
static int source_length(const char *source, const Config *config, const Vocab *vocab,
                         Error *error) {
    if (!source[0]) {
        error_usage(error, "the input is empty; give at least one character");
        return -1;
    }
    int mark = config->source_end_mark ? 1 : 0;
    int length = vocab_encode(vocab, source, NULL, config->max_source - mark, error);
    return length < 0 ? -1 : length + mark;
}

static int target_length(const char *target, const Config *config, const Vocab *vocab,
                         Error *error) {
    int length = vocab_encode(vocab, target, NULL, config->max_target - 1, error);
    if (length < 0) {
        error_prefix(error, "target");
        return -1;
    }
    return length + 1;
}

/* What has been measured is now written; so it fits, and no encoding fails. */
static void write_source(Batch *batch, int row, const char *source, const Config *config,
                         const Vocab *vocab) {
    int *ids = batch->source + (long)row * batch->source_len;
    int length = vocab_encode(vocab, source, ids, batch->source_len, NULL);
    if (config->source_end_mark) ids[length++] = config->end_id;
    batch->enc_valid_lens[row] = length;
    for (int i = length; i < batch->source_len; i++)
        ids[i] = config->pad_id;
}

static void write_target(Batch *batch, int row, const char *target, const Config *config,
                         const Vocab *vocab) {
    int *in = batch->target_in + (long)row * batch->target_len;
    int *out = batch->target_out + (long)row * batch->target_len;
    int length = vocab_encode(vocab, target, out, batch->target_len, NULL);
    in[0] = config->start_id;
    memcpy(in + 1, out, (size_t)length * sizeof *in);
    out[length++] = config->end_id;
    batch->dec_valid_lens[row] = length;
    for (int i = length; i < batch->target_len; i++)
        in[i] = out[i] = config->pad_id;
}

bool examples_to_batch(Batch *batch, const TaskExample *examples, int count, const Config *config,
                       const Vocab *source_vocab, const Vocab *target_vocab, Error *error) {
    assert(count > 0);
    int longest_source = 0, longest_target = 0;
    for (int i = 0; i < count; i++) {
        int source = source_length(examples[i].source, config, source_vocab, error);
        if (source < 0) return false;
        int target = target_length(examples[i].target, config, target_vocab, error);
        if (target < 0) return false;
        if (source > longest_source) longest_source = source;
        if (target > longest_target) longest_target = target;
    }
    if (!batch_reserve(batch, count, longest_source, longest_target, error)) return false;
    for (int i = 0; i < count; i++) {
        write_source(batch, i, examples[i].source, config, source_vocab);
        write_target(batch, i, examples[i].target, config, target_vocab);
    }
    return true;
}

bool sources_to_batch(Batch *batch, const char *const *sources, int count, const Config *config,
                      const Vocab *source_vocab, Error *error) {
    assert(count > 0);
    int longest = 0;
    for (int i = 0; i < count; i++) {
        int length = source_length(sources[i], config, source_vocab, error);
        if (length < 0) return false;
        if (length > longest) longest = length;
    }
    if (!batch_reserve(batch, count, longest, 0, error)) return false;
    for (int i = 0; i < count; i++) {
        write_source(batch, i, sources[i], config, source_vocab);
        batch->dec_valid_lens[i] = 0;
    }
    return true;
}
