/* A whole page of a lesson as a picture: as wide as asked, as high as it needs. */
#ifndef HEADSCOPE_VIZ_DRAW_LESSON_PICTURE_H
#define HEADSCOPE_VIZ_DRAW_LESSON_PICTURE_H

#include "viz/canvas/picture_png.h"
#include "viz/scene/lesson.h"
#include "viz/text/text.h"

#include <stdio.h>

typedef struct LessonPicture {
    float width; /* logical pixels, margins and all */
    float scale; /* of a PNG: device pixels each */
    ThemeName theme;
    const char *footer;       /* small, below the page; NULL: none */
    const PictureText *texts; /* [text_count]: how it was made */
    int text_count;
} LessonPicture;

/* *bytes is new (free it). False with *error if a font cannot be read, the picture is too large or
 * memory ends. Buttons are left out, as nobody can press them. */
bool lesson_picture_png(TextRenderer *text, const LessonPage *page, const LessonPicture *picture,
                        unsigned char **bytes, size_t *size, Error *error);

/* The same as an SVG, written to `stream`. */
bool lesson_picture_svg(TextRenderer *text, const LessonPage *page, const LessonPicture *picture,
                        FILE *stream, Error *error);

#endif
