/* Prints a map or a tensor of a lesson as text. Internal to lesson_print. */
#ifndef HEADSCOPE_APP_PAGE_LESSON_PRINT_GRIDS_H
#define HEADSCOPE_APP_PAGE_LESSON_PRINT_GRIDS_H

#include <stdio.h>

#include "viz/scene/lesson.h"

/* The width of a line in characters. */
enum { LESSON_PRINT_COLUMNS = 96 };

/* Prints rows of figures: `.` if masked, `NaN`, nothing for a missing cell. Large maps are cut,
 * with a line that counts their rows and columns. */
void lesson_print_map(FILE *stream, const LessonMap *map);

/* Prints rows of origins, such as `h1` or `b0t3h1`, with only the parts that differ; `.` for none.
 * If a row does not fit on a line, equal neighbours are written once with their count: `b0t3h1x20`.
 */
void lesson_print_tensor(FILE *stream, const LessonTensor *tensor, const LessonTensors *all);

#endif
