/* A lesson's page as plain text, for a terminal or a file: no colours, no control characters. */
#ifndef HEADSCOPE_APP_PAGE_LESSON_PRINT_H
#define HEADSCOPE_APP_PAGE_LESSON_PRINT_H

#include <stdio.h>

#include "app/page/lesson_print_grids.h"
#include "viz/scene/lesson.h"

/* Writes the page: paragraphs and tables with prose no wider than LESSON_PRINT_COLUMNS (a table of
 * figures is as wide as it must be), maps and tensors side by side where they fit. Buttons are left
 * out. False with *error for lack of memory; whether the stream took it all is the caller's to
 * ask. */
bool lesson_print(FILE *stream, const LessonPage *page, Error *error);

#endif
