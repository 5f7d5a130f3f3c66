/* The tasks by themselves, for the table in task.c. */
#ifndef HEADSCOPE_DATA_TASKS_TASK_LIST_H
#define HEADSCOPE_DATA_TASKS_TASK_LIST_H

#include "data/tasks/task.h"

extern const Task task_copy, task_reverse, task_sort; /* task_letters.c */
extern const Task task_add;                           /* task_add.c */
extern const Task task_dates;                         /* task_dates.c */

#endif
