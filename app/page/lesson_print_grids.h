/* A map and a tensor of a lesson as text. Internal to lesson_print. */
#ifndef HEADSCOPE_APP_PAGE_LESSON_PRINT_GRIDS_H
#define HEADSCOPE_APP_PAGE_LESSON_PRINT_GRIDS_H

#include <stdio.h>

#include "viz/scene/lesson.h"

/* The columns of a line. */
enum { LESSON_PRINT_COLUMNS = 96 };

/* Rows of figures, `.` where masked, `NaN`, and nothing where there is no such cell. What lies past
 * the lines and columns that a terminal shows at once is counted instead. */
void lesson_print_map(FILE *stream, const LessonMap *map);

/* Rows of origins, such as `h1` or `b0t3h1`: of the parts that there are several of; `.` where
 * nothing stands. Where they would not fit in a line, neighbours alike are written once with their
 * count, `b0t3h1x20`. */
void lesson_print_tensor(FILE *stream, const LessonTensor *tensor, const LessonTensors *all);

#endif
