#include "data/tasks/task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- copy, reverse, sort: one text, all letters or all digits ----------------------------------
 */

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

/* --- add: two numbers of up to four digits, and their sum --------------------------------------
 */

/* A number of n digits comes n times as often as one of a single digit: every length is met often,
 * and the many long numbers still get the larger share. */
static unsigned draw_number(Rng *rng) {
    static const unsigned char digits_of[] = {1, 2, 2, 3, 3, 3, 4, 4, 4, 4};
    static const unsigned smallest[] = {0, 0, 10, 100, 1000, 10000};
    unsigned digits = digits_of[rng_below(rng, sizeof digits_of)];
    return smallest[digits] + rng_below(rng, smallest[digits + 1] - smallest[digits]);
}

static void make_add(Rng *rng, TaskExample *example) {
    unsigned a = draw_number(rng), b = draw_number(rng);
    snprintf(example->source, sizeof example->source, "%u+%u", a, b);
    snprintf(example->target, sizeof example->target, "%u", a + b);
}

const Task task_add = {
    .name = "add",
    .help = "adds two numbers of up to 4 digits: 58+967 becomes 1025",
    .sample = "58+967",
    .source_characters = "0123456789+",
    .target_characters = "0123456789",
    .max_source = 9,
    .max_target = 5,
    .steps = 4500,
    .learning_rate = 0.002,
    .make = make_add,
};

/* --- all tasks ---------------------------------------------------------------------------------
 */

const Task *const tasks_all[] = {&task_copy, &task_reverse, &task_sort,
                                 &task_add,  &task_dates,   NULL};

const Task *task_find(const char *name) {
    for (const Task *const *task = tasks_all; *task; task++)
        if (strcmp((*task)->name, name) == 0) return *task;
    return NULL;
}
