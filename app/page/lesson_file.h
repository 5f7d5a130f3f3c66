/* A page as a picture file: what a command says of it, and the writing. */
#ifndef HEADSCOPE_APP_PAGE_LESSON_FILE_H
#define HEADSCOPE_APP_PAGE_LESSON_FILE_H

#include "app/cli/options.h"
#include "viz/scene/lesson.h"

typedef struct LessonFile {
    const char *picture; /* its path; NULL: none is drawn */
    const char *theme;   /* NULL: light */
    int width;           /* logical pixels; -1: 1100 */
    double scale;        /* of a PNG; NaN: 1 */
    const char *typed;   /* the whole command, which stands in the picture */
} LessonFile;

/* Nothing said. */
LessonFile lesson_file(void);

/* The options that say it, [LESSON_FILE_OPTIONS] into `options`. */
enum { LESSON_FILE_OPTIONS = 4 };
void lesson_file_options(Option *options, LessonFile *file);

/* Whether they fit together and the theme is one. ERROR_USAGE. */
bool lesson_file_check(const LessonFile *file, Error *error);

/* Draws the page, as PNG or SVG by the name's ending, whole or not at all. Nothing is done where no
 * picture is asked for. */
bool lesson_file_draw(const LessonFile *file, const LessonPage *page, Error *error);

#endif
