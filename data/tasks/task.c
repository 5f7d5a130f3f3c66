#include "data/tasks/task.h"

#include <stddef.h>
#include <string.h>

const Task *const tasks_all[] = {&task_copy, &task_reverse, &task_sort,
                                 &task_add,  &task_dates,   NULL};

const Task *task_find(const char *name) {
    for (const Task *const *task = tasks_all; *task; task++)
        if (strcmp((*task)->name, name) == 0) return *task;
    return NULL;
}
