/* Writes a page as a picture file, with the options of the commands that do. */
#ifndef HEADSCOPE_APP_PAGE_LESSON_FILE_H
#define HEADSCOPE_APP_PAGE_LESSON_FILE_H

#include "app/cli/options.h"
#include "viz/scene/lesson.h"

typedef struct LessonFile {
    const char *picture; /* path; NULL: no picture */
    const char *theme;   /* NULL: light */
    int width;           /* logical pixels; -1: 1100 */
    double scale;        /* of a PNG; NaN: 1 */
    const char *typed;   /* the whole command line, stored in the picture */
} LessonFile;

/* The defaults. */
LessonFile lesson_file(void);

/* Writes the options that fill *file to `options` [LESSON_FILE_OPTIONS]. */
enum { LESSON_FILE_OPTIONS = 4 };
void lesson_file_options(Option *options, LessonFile *file);

/* Checks that the options agree and the theme exists. False with *error (ERROR_USAGE). */
bool lesson_file_check(const LessonFile *file, Error *error);

/* Writes the page as PNG or SVG, by the suffix of its name, completely or not at all. Does nothing
 * if no picture is requested. */
bool lesson_file_draw(const LessonFile *file, const LessonPage *page, Error *error);

#endif
