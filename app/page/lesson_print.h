/* A lesson's page as plain text, for a terminal or a file: no colours, no control characters. */
#ifndef HEADSCOPE_APP_PAGE_LESSON_PRINT_H
#define HEADSCOPE_APP_PAGE_LESSON_PRINT_H

#include <stdio.h>

#include "app/page/lesson_print_grids.h"
#include "viz/scene/lesson.h"

/* Writes the page: paragraphs and tables of prose at most LESSON_PRINT_COLUMNS wide (tables of
 * figures may be wider), maps and tensors side by side if they fit, no buttons. False with *error
 * if memory is exhausted; the caller checks the stream for errors. */
bool lesson_print(FILE *stream, const LessonPage *page, Error *error);

#endif
