#include "viz/draw/draw_lesson_parts.h"

#include <math.h>
#include <string.h>

#define SLACK       2.0F /* a line may come out wider than its words and spaces together, ... */
#define WORD_SLACK  0.4F /* ... by so much a word, since each is measured in whole pixels */
#define STRIPE      3.0F /* beside a paragraph that stands out */
#define STRIPE_GAP  10.0F
#define BUTTON_ROOM 6.0F

bool lesson_sees(const LessonView *view, Rect area) {
    const Rect *seen = &view->seen;
    return view->draws && area.x < seen->x + seen->w && area.x + area.w > seen->x &&
           area.y < seen->y + seen->h && area.y + area.h > seen->y;
}

Color lesson_tone(const Paint *paint, LessonTone tone) {
    switch (tone) {
    case TONE_FAINT:
        return paint->theme->muted;
    case TONE_GOOD:
        return paint->theme->sound;
    case TONE_WRONG:
        return paint->theme->struck;
    default:
        return (Color){0};
    }
}

/* --- words ------------------------------------------------------------------------------------ */

/* The width of `length` bytes. */
static float width_of(const LessonView *view, const char *text, size_t length, PaintText style) {
    char part[SHORTEN_MEASURED + 1];
    if (length > SHORTEN_MEASURED) length = SHORTEN_MEASURED;
    memcpy(part, text, length);
    part[length] = '\0';
    return paint_width(view->paint, part, style);
}

/* The bytes of the first line, with no spaces at its end; *next: where the line after it begins. */
static size_t line_length(const LessonView *view, const char *text, float width, PaintText style,
                          const char **next) {
    float space = paint_width(view->paint, " ", style), used = 0;
    size_t length = 0, at = 0;
    while (text[at] && text[at] != '\n') {
        size_t spaces = strspn(text + at, " "), word = strcspn(text + at + spaces, " \n");
        if (word == 0) { /* nothing but spaces is left of the line */
            at += spaces;
            break;
        }
        used +=
            (float)spaces * space + width_of(view, text + at + spaces, word, style) + WORD_SLACK;
        if (length > 0 && (used > width || at + spaces + word > SHORTEN_MEASURED)) break;
        length = at += spaces + word;
    }
    *next = text + at + (text[at] == '\n');
    while (**next == ' ' && text[at] != '\n')
        ++*next;
    return length;
}

static void draw_line(const LessonView *view, Rect line, const char *text, size_t length,
                      PaintText style) {
    char part[SHORTEN_MEASURED + 1];
    if (length > SHORTEN_MEASURED) length = SHORTEN_MEASURED;
    memcpy(part, text, length);
    part[length] = '\0';
    if (strchr(part, ' ') && style.align == ALIGN_START)
        line.w += 2 * SLACK; /* words that were chosen to fit */
    style.passing = true;
    paint_text(view->paint, line, part, style);
}

float lesson_words(const LessonView *view, Rect area, const char *text, PaintText style) {
    if (!(style.size > 0)) style.size = FONT_TEXT;
    float pitch = ceilf(style.size * PAINT_PITCH), y = area.y;
    if (!text) return 0;
    for (const char *next; *text; text = next, y += pitch) {
        size_t length = line_length(view, text, area.w - SLACK, style, &next);
        Rect line = {area.x, y, area.w, pitch};
        if (length > 0 && lesson_sees(view, line)) draw_line(view, line, text, length, style);
    }
    return y - area.y;
}

float lesson_words_width(const LessonView *view, const char *text, PaintText style) {
    if (!(style.size > 0)) style.size = FONT_TEXT;
    float widest = 0;
    while (text && *text) {
        const char *next;
        size_t length = line_length(view, text, INFINITY, style, &next);
        widest = fmaxf(widest, width_of(view, text, length, style));
        text = next;
    }
    return widest > 0 ? ceilf(widest) + SLACK : 0;
}

/* --- paragraphs and buttons ------------------------------------------------------------------- */

float lesson_paragraph(const LessonView *view, Rect area, const LessonBlock *block) {
    bool stands_out = block->tone == TONE_GOOD || block->tone == TONE_WRONG;
    Rect text = area;
    if (text.w > LESSON_PROSE) text.w = LESSON_PROSE;
    if (stands_out) paint_cut_left(&text, STRIPE + STRIPE_GAP);
    PaintText style = {.size = LESSON_TEXT_SIZE,
                       .bold = block->tone == TONE_STRONG,
                       .color = lesson_tone(view->paint, block->tone)};
    float height = lesson_words(view, text, block->text, style);
    Rect stripe = {area.x, area.y + 1, STRIPE, height - 2};
    if (stands_out && lesson_sees(view, stripe))
        canvas_round_fill(view->paint->canvas, stripe, STRIPE / 2, style.color);
    return height;
}

float lesson_buttons_block(const LessonView *view, Rect area, const LessonButtons *buttons) {
    float x = area.x, y = area.y;
    for (int index = 0; index < buttons->count; index++) {
        const ScreenButton *button = &buttons->buttons[index];
        float width = fminf(paint_button_width(view->paint, button), area.w);
        if (x > area.x && x + width > area.x + area.w) {
            x = area.x;
            y += PAINT_BUTTON + BUTTON_ROOM;
        }
        Rect place = {x, y, width, PAINT_BUTTON};
        if (lesson_sees(view, place)) paint_button(view->paint, place, button);
        x += width + PAINT_GAP;
    }
    return buttons->count > 0 ? y + PAINT_BUTTON - area.y : 0;
}
