/* Between the files draw_lesson*.c alone: the blocks of a page. Each function lays its block out in
 * `area` (its height does not count), draws it if view->draws, and returns its height; it does the
 * same both times but for the drawing, so that what is measured is what is drawn. */
#ifndef HEADSCOPE_VIZ_DRAW_DRAW_LESSON_BLOCKS_H
#define HEADSCOPE_VIZ_DRAW_DRAW_LESSON_BLOCKS_H

#include "viz/draw/paint.h"
#include "viz/scene/lesson.h"

#define LESSON_TEXT_SIZE 13.0F
#define LESSON_PROSE     800.0F /* lines of prose are no wider: longer ones are hard to read */

typedef struct LessonView {
    Paint *paint;
    bool draws;
    Rect seen; /* what lies outside need not be drawn */
} LessonView;

/* Whether it is drawn and can be seen. */
bool lesson_sees(const LessonView *view, Rect area);

/* A text wrapped at spaces, and broken at newlines; a word that is too long is shortened. Returns
 * its height. Words are measured one by one: they come again. (draw_lesson_text.c) */
float lesson_words(const LessonView *view, Rect area, const char *text, PaintText style);

/* The width of its longest line, unwrapped. */
float lesson_words_width(const LessonView *view, const char *text, PaintText style);

/* The colour of a tone as text; alpha 0 for the plain one. */
Color lesson_tone(const Paint *paint, LessonTone tone);

/* The card of a map or tensor, framed in its tone, with its title (NULL: none) at the top; what is
 * in it begins LESSON_CARD_PAD within, and LESSON_CARD_TITLE below that where it has a title. */
#define LESSON_CARD_PAD   10.0F
#define LESSON_CARD_TITLE 22.0F
void lesson_card(const LessonView *view, Rect card, LessonTone tone, const char *title);

/* The width of a card that its title needs. */
float lesson_card_title_width(Paint *paint, const char *title);

/* A note on the card, in small; nothing for NULL. */
void lesson_card_note(const LessonView *view, Rect area, LessonTone tone, const char *note);

float lesson_paragraph(const LessonView *view, Rect area, const LessonBlock *block);
float lesson_table_block(const LessonView *view, Rect area, const LessonTable *table);
float lesson_bars_block(const LessonView *view, Rect area, const LessonBars *bars);
float lesson_maps_block(const LessonView *view, Rect area, const LessonMaps *maps);
float lesson_tensors_block(const LessonView *view, Rect area, const LessonTensors *tensors);
float lesson_buttons_block(const LessonView *view, Rect area, const LessonButtons *buttons);

#endif
