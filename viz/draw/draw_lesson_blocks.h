/* The blocks of a lesson's page. Internal to draw_lesson*.c. Each function lays out its block in
 * `area` (whose height is ignored), draws it if view->draws, and returns its height, which does not
 * depend on view->draws. */
#ifndef HEADSCOPE_VIZ_DRAW_DRAW_LESSON_BLOCKS_H
#define HEADSCOPE_VIZ_DRAW_DRAW_LESSON_BLOCKS_H

#include "viz/draw/paint.h"
#include "viz/scene/lesson.h"

#define LESSON_TEXT_SIZE 13.0F
#define LESSON_PROSE     800.0F /* the width of prose: longer lines are hard to read */

typedef struct LessonView {
    Paint *paint;
    bool draws;
    Rect seen; /* blocks outside are not drawn */
} LessonView;

/* True if the view draws and `area` is visible. */
bool lesson_sees(const LessonView *view, Rect area);

/* Draws a text wrapped at spaces and newlines; overlong words are shortened. Returns its height.
 * Measures word by word, so that the cache of text widths is used. (draw_lesson_text.c) */
float lesson_words(const LessonView *view, Rect area, const char *text, PaintText style);

/* The width of the longest line of the text, unwrapped. */
float lesson_words_width(const LessonView *view, const char *text, PaintText style);

/* The text colour of a tone; alpha 0 for TONE_PLAIN. */
Color lesson_tone(const Paint *paint, LessonTone tone);

/* Draws the card of a map or tensor, framed in its tone, with its title (NULL: none). The content
 * starts LESSON_CARD_PAD inside, and LESSON_CARD_TITLE lower if there is a title. */
#define LESSON_CARD_PAD   10.0F
#define LESSON_CARD_TITLE 22.0F
void lesson_card(const LessonView *view, Rect card, LessonTone tone, const char *title);

/* The width of a card that fits its title. */
float lesson_card_title_width(Paint *paint, const char *title);

/* Draws a note in small print; nothing for NULL. */
void lesson_card_note(const LessonView *view, Rect area, LessonTone tone, const char *note);

float lesson_paragraph(const LessonView *view, Rect area, const LessonBlock *block);
float lesson_table_block(const LessonView *view, Rect area, const LessonTable *table);
float lesson_bars_block(const LessonView *view, Rect area, const LessonBars *bars);
float lesson_maps_block(const LessonView *view, Rect area, const LessonMaps *maps);
float lesson_tensors_block(const LessonView *view, Rect area, const LessonTensors *tensors);
float lesson_buttons_block(const LessonView *view, Rect area, const LessonButtons *buttons);

#endif
