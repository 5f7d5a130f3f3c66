/* add: two numbers of up to four digits, and their sum. */
#include <stdio.h>

#include "data/tasks/task.h"

/* A number of n digits comes n times as often as one of a single digit: every length is met often,
 * and the many long numbers still get the larger share. */
static unsigned draw_number(Rng *rng) {
    static const unsigned char digits_of[] = {1, 2, 2, 3, 3, 3, 4, 4, 4, 4};
    static const unsigned least[] = {0, 0, 10, 100, 1000, 10000};
    unsigned digits = digits_of[rng_below(rng, sizeof digits_of)];
    return least[digits] + rng_below(rng, least[digits + 1] - least[digits]);
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
