/* Draws a page of a lesson (viz/scene/lesson.h), in the window and as a picture. */
#ifndef HEADSCOPE_VIZ_DRAW_DRAW_LESSON_H
#define HEADSCOPE_VIZ_DRAW_DRAW_LESSON_H

#include "viz/draw/paint.h"
#include "viz/scene/lesson.h"

/* The narrowest layout of a page; narrower areas cut off its right side. */
#define LESSON_WIDTH_MIN 240.0F

/* The height of the page at this width, without margins. */
float lesson_height(Paint *paint, const LessonPage *page, float width);

/* Draws the part of the page that lies in `seen`, with the page's upper left corner at (x,y), and
 * adds its hits. Returns the height as lesson_height does. */
float lesson_draw(Paint *paint, const LessonPage *page, float x, float y, float width, Rect seen);

#endif
