/* The sequence tasks: each makes examples without end. */
#ifndef HEADSCOPE_DATA_TASKS_TASK_H
#define HEADSCOPE_DATA_TASKS_TASK_H

#include "model/base/rng.h"

enum { TASK_TEXT_SIZE = 96 }; /* bytes of the longest source or target, with its NUL */

typedef struct TaskExample {
    char source[TASK_TEXT_SIZE]; /* never empty */
    char target[TASK_TEXT_SIZE];
} TaskExample;

typedef struct Task {
    const char *name;
    const char *help;              /* one line for `headscope tasks` */
    const char *sample;            /* a source to show */
    const char *source_characters; /* the vocabularies, in order (vocab_from_characters) */
    const char *target_characters;
    int max_source, max_target; /* longest texts in characters, without marks */
    int steps;                  /* of training that reach the task's exact match, batch 64 */
    double learning_rate;       /* at its peak, for these steps */
    /* Draws one example; the same state of `rng` gives the same one. A source has one target,
     * however often it is drawn. */
    void (*make)(Rng *rng, TaskExample *example);
} Task;

extern const Task task_copy, task_reverse, task_sort, task_add;
extern const Task task_dates; /* task_dates.c */

/* All tasks, ended by NULL. */
extern const Task *const tasks_all[];

/* The task of that name, or NULL. */
const Task *task_find(const char *name);

#endif
