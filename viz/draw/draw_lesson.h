/* A page of a lesson (viz/scene/lesson.h), drawn: in the window, where it scrolls, and as a
 * picture. */
#ifndef HEADSCOPE_VIZ_DRAW_DRAW_LESSON_H
#define HEADSCOPE_VIZ_DRAW_DRAW_LESSON_H

#include "viz/draw/paint.h"
#include "viz/scene/lesson.h"

/* Narrower than this a page is cut off at its right. */
#define LESSON_WIDTH_MIN 240.0F

/* The height that the page takes at this width, without a margin. */
float lesson_height(Paint *paint, const LessonPage *page, float width);

/* Draws the page with its upper left corner at (x,y), so far as it lies in `seen`, and writes down
 * what can be pressed there. Returns its height: that of lesson_height. */
float lesson_draw(Paint *paint, const LessonPage *page, float x, float y, float width, Rect seen);

#endif
