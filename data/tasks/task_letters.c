/* copy, reverse, sort: one text, all letters or all digits, and what becomes of it. */
#include <stdlib.h>
#include <string.h>

#include "data/tasks/task.h"

#define CHARACTERS "0123456789abcdefghijklmnopqrstuvwxyz"

enum { LONGEST = 16 };

/* Every length from 1 to 16 alike, letters as often as digits. */
static size_t draw_source(Rng *rng, TaskExample *example) {
    size_t length = 1 + rng_below(rng, LONGEST);
    const char *alphabet = rng_below(rng, 2) ? "abcdefghijklmnopqrstuvwxyz" : "0123456789";
    uint32_t letters = (uint32_t)strlen(alphabet);
    for (size_t i = 0; i < length; i++)
        example->source[i] = alphabet[rng_below(rng, letters)];
    example->source[length] = '\0';
    memcpy(example->target, example->source, length + 1);
    return length;
}

static void make_copy(Rng *rng, TaskExample *example) {
    draw_source(rng, example);
}

static void make_reverse(Rng *rng, TaskExample *example) {
    size_t length = draw_source(rng, example);
    for (size_t i = 0; i < length; i++)
        example->target[i] = example->source[length - 1 - i];
}

static int compare_characters(const void *a, const void *b) {
    return *(const char *)a - *(const char *)b;
}

static void make_sort(Rng *rng, TaskExample *example) {
    size_t length = draw_source(rng, example);
    qsort(example->target, length, 1, compare_characters);
}

/* What the three share. */
#define LETTERS                                                                                    \
    .sample = "headscope", .source_characters = CHARACTERS, .target_characters = CHARACTERS,       \
    .max_source = LONGEST, .max_target = LONGEST, .learning_rate = 0.002

const Task task_copy = {
    LETTERS,       .name = "copy",    .help = "writes the text again: 1 to 16 letters or digits",
    .steps = 2500, .make = make_copy,
};

const Task task_reverse = {
    LETTERS,
    .name = "reverse",
    .help = "writes the text backwards: 1 to 16 letters or digits",
    .steps = 2500,
    .make = make_reverse,
};

const Task task_sort = {
    LETTERS,       .name = "sort",    .help = "writes the text in order: 1 to 16 letters or digits",
    .steps = 3500, .make = make_sort,
};
