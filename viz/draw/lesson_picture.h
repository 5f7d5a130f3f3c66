/* Draws a whole page of a lesson as a picture of a given width. */
#ifndef HEADSCOPE_VIZ_DRAW_LESSON_PICTURE_H
#define HEADSCOPE_VIZ_DRAW_LESSON_PICTURE_H

#include "viz/canvas/picture_png.h"
#include "viz/scene/lesson.h"
#include "viz/text/text.h"

#include <stdio.h>

typedef struct LessonPicture {
    float width; /* in logical pixels, with margins */
    float scale; /* of a PNG: device pixels for each logical pixel */
    ThemeName theme;
    const char *footer;       /* small, below the page; NULL: none */
    const PictureText *texts; /* [text_count]: metadata of the picture */
    int text_count;
} LessonPicture;

/* *bytes is new (free it). False with *error if a font cannot be read, the picture is too large or
 * memory is exhausted. Buttons are left out. */
bool lesson_picture_png(TextRenderer *text, const LessonPage *page, const LessonPicture *picture,
                        unsigned char **bytes, size_t *size, Error *error);

/* The same as an SVG, written to `stream`. */
bool lesson_picture_svg(TextRenderer *text, const LessonPage *page, const LessonPicture *picture,
                        FILE *stream, Error *error);

#endif
