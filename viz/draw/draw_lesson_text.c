#include "viz/draw/draw_lesson_blocks.h"

#include <math.h>
#include <string.h>

#define SLACK       2.0F /* a line may be wider than its measured words and spaces, ... */
#define WORD_SLACK  0.4F /* ... by this much for each word, as widths are whole pixels */
#define STRIPE      3.0F /* beside a highlighted paragraph */
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

/* The width of the first `length` bytes. */
static float width_of(const LessonView *view, const char *text, size_t length, PaintText style) {
    char part[SHORTEN_MEASURED + 1];
    if (length > SHORTEN_MEASURED) length = SHORTEN_MEASURED;
    memcpy(part, text, length);
    part[length] = '\0';
    return paint_width(view->paint, part, style);
}

/* Returns the byte length of the first line, without trailing spaces, and sets *next to the start
 * of the second. */
static size_t line_length(const LessonView *view, const char *text, float width, PaintText style,
                          const char **next) {
    float space = paint_width(view->paint, " ", style), used = 0;
    size_t length = 0, at = 0;
    while (text[at] && text[at] != '\n') {
        size_t spaces = strspn(text + at, " "), word = strcspn(text + at + spaces, " \n");
        if (word == 0) { /* only spaces are left in the line */
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
        line.w += 2 * SLACK; /* these words were chosen to fit */
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

/* --- cards ------------------------------------------------------------------------------------ */

static const PaintText card_title_style = {.size = FONT_TEXT + 1, .bold = true};

static bool is_judged(LessonTone tone) {
    return tone == TONE_GOOD || tone == TONE_WRONG;
}

void lesson_card(const LessonView *view, Rect card, LessonTone tone, const char *title) {
    Paint *paint = view->paint;
    PaintText style = card_title_style;
    if (tone == TONE_STRONG) style.color = paint->theme->accent;
    if (is_judged(tone)) style.color = lesson_tone(paint, tone);
    paint_card(paint, card, style.color);
    Rect line = {card.x + LESSON_CARD_PAD, card.y + LESSON_CARD_PAD - 3,
                 card.w - 2 * LESSON_CARD_PAD, LESSON_CARD_TITLE};
    paint_text(paint, line, title, style);
}

float lesson_card_title_width(Paint *paint, const char *title) {
    return ceilf(paint_width(paint, title, card_title_style)) + 2 * LESSON_CARD_PAD + 2;
}

void lesson_card_note(const LessonView *view, Rect area, LessonTone tone, const char *note) {
    Color color = is_judged(tone) ? lesson_tone(view->paint, tone) : view->paint->theme->muted;
    lesson_words(view, area, note, (PaintText){.size = FONT_TOKEN, .color = color});
}

/* --- paragraphs and buttons ------------------------------------------------------------------- */

float lesson_paragraph(const LessonView *view, Rect area, const LessonBlock *block) {
    bool stands_out = is_judged(block->tone);
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
    PaintFlow flow = paint_flow(area, PAINT_BUTTON, PAINT_GAP, BUTTON_ROOM);
    for (int index = 0; index < buttons->count; index++) {
        const ScreenButton *button = &buttons->buttons[index];
        Rect place = paint_flow_next(&flow, paint_button_width(view->paint, button));
        if (lesson_sees(view, place)) paint_button(view->paint, place, button);
    }
    return buttons->count > 0 ? flow.y + PAINT_BUTTON - area.y : 0;
}
