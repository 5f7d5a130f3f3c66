#include "viz/draw/paint.h"

#include "model/base/minmax.h"
#include "viz/canvas/theme.h"

#include <math.h>
#include <string.h>

/* Narrower windows have no side column, no overview. */
#define WIDTH_COMPARE_WITH_SIDE 1700.0F
#define WIDTH_WITH_SIDE         1150.0F
#define WIDTH_WITH_OVERVIEW     720.0F

#define BUTTON_PAD 10.0F  /* on both sides of a button's label */
#define BUTTON_MIN 26.0F  /* of a button */
#define CARD_LOW   190.0F /* lower cards have less padding */
#define BAR_HEIGHT 6.0F
#define BAR_MIN    2.0F /* the shortest bar of a value that is not 0 */
#define KNOB       7.0F /* the radius of a slider's knob */

enum { LABEL_BYTES = 128 /* of a button's label */, TOKEN_BYTES = 256 };

bool paint_is_empty(Rect area) {
    return !(area.w > 0 && area.h > 0);
}

bool paint_has_overview(const Paint *paint) {
    return paint->screen->overview.trace && !paint->screen->presentation &&
           paint->screen->page != PAGE_LESSONS && paint->width >= WIDTH_WITH_OVERVIEW;
}

/* The page of a comparison shows its own figures, and needs the width for its maps. */
bool paint_has_side(const Paint *paint) {
    const Screen *screen = paint->screen;
    bool compares = screen->page == PAGE_COMPARE && paint->width < WIDTH_COMPARE_WITH_SIDE;
    if (screen->page == PAGE_LESSONS) return false;
    return screen->section_count > 0 && !screen->presentation && !compares &&
           paint->width >= WIDTH_WITH_SIDE;
}

/* --- areas ------------------------------------------------------------------------------------ */

static float within(float value, float max) {
    return float_clamp(value, 0, fmaxf(max, 0));
}

Rect paint_cut_top(Rect *area, float height) {
    Rect cut = {area->x, area->y, area->w, within(height, area->h)};
    area->y += cut.h;
    area->h -= cut.h;
    return cut;
}

Rect paint_cut_bottom(Rect *area, float height) {
    float kept = fmaxf(area->h, 0) - within(height, area->h);
    Rect cut = {area->x, area->y + kept, area->w, within(height, area->h)};
    area->h = kept;
    return cut;
}

Rect paint_cut_left(Rect *area, float width) {
    Rect cut = {area->x, area->y, within(width, area->w), area->h};
    area->x += cut.w;
    area->w -= cut.w;
    return cut;
}

Rect paint_cut_right(Rect *area, float width) {
    float kept = fmaxf(area->w, 0) - within(width, area->w);
    Rect cut = {area->x + kept, area->y, within(width, area->w), area->h};
    area->w = kept;
    return cut;
}

Rect paint_inset(Rect area, float space) {
    return (Rect){area.x + space, area.y + space, fmaxf(area.w - 2 * space, 0),
                  fmaxf(area.h - 2 * space, 0)};
}

/* --- texts ------------------------------------------------------------------------------------ */

Color paint_faded(Color color, uint8_t alpha) {
    color.a = alpha;
    return color;
}

static float measure(void *context, const char *text, float size, bool bold) {
    return canvas_text_width(context, text, size, bold);
}

static TextMeasure measure_of(const Paint *paint) {
    return (TextMeasure){.width = measure, .context = paint->canvas};
}

static PaintText with_defaults(const Paint *paint, PaintText style) {
    if (!(style.size > 0)) style.size = FONT_TEXT;
    if (style.color.a == 0) style.color = paint->theme->text;
    return style;
}

float paint_width(Paint *paint, const char *text, PaintText style) {
    style = with_defaults(paint, style);
    return text && *text ? canvas_text_width(paint->canvas, text, style.size, style.bold) : 0;
}

void paint_fit(Paint *paint, const char *text, float width, PaintText style, char *out) {
    style = with_defaults(paint, style);
    if (style.halves)
        shorten_text(measure_of(paint), text, width, style.size, style.bold, out);
    else
        shorten_end(measure_of(paint), text, width, style.size, style.bold, out);
}

void paint_fit_token(Paint *paint, const char *token, float width, float size, char *out) {
    shorten_token(measure_of(paint), token, width, size, false, out);
}

static float width_of_fitted(Paint *paint, Rect area, const char *text, PaintText style,
                             char *fitted) {
    paint_fit(paint, text, area.w, style, fitted);
    float width = canvas_text_width(paint->canvas, fitted, style.size, style.bold);
    return width <= area.w ? width : 0;
}

float paint_text(Paint *paint, Rect area, const char *text, PaintText style) {
    style = with_defaults(paint, style);
    if (!text || !*text || paint_is_empty(area) || area.h < style.size) return 0;
    char fitted[SHORTEN_BYTES];
    float width = width_of_fitted(paint, area, text, style, fitted);
    bool shortened = strcmp(fitted, text) != 0;
    if (shortened && !style.passing)
        hits_add(paint->hits, (Hit){.area = area, .kind = HIT_PLAIN, .tip = text});
    if (!(width > 0)) return 0;
    float x = style.align == ALIGN_START    ? area.x
              : style.align == ALIGN_MIDDLE ? area.x + area.w / 2
                                            : area.x + area.w;
    float baseline = roundf(area.y + area.h / 2 + TEXT_MIDDLE * style.size);
    canvas_text(
        paint->canvas, x, baseline, fitted,
        &(TextStyle){
            .size = style.size, .bold = style.bold, .align = style.align, .color = style.color});
    return width;
}

float paint_token(Paint *paint, Rect area, const char *token, PaintText style) {
    char shown[TOKEN_BYTES];
    shorten_show_spaces(token, shown, sizeof shown);
    style.passing = strcmp(shown, token) != 0;
    return paint_text(paint, area, style.passing ? shown : token, style);
}

/* Wraps a text into at most `lines` lines, and draws those that fit into `area` if it is not NULL.
 * Returns the number of lines. */
static int wrap(Paint *paint, const Rect *area, float width, const char *text, int lines,
                PaintText style) {
    float pitch = ceilf(style.size * PAINT_PITCH);
    const char *whole = style.passing ? NULL : text;
    int count = 0;
    if (area) lines = (int)fminf((float)lines, area->h / pitch);
    style.passing = true;
    for (; text && *text && count < lines; count++) {
        char line[SHORTEN_MEASURED + 1];
        size_t length = shorten_line(measure_of(paint), text, width, style.size, style.bold);
        bool cut = length == 0 || (count + 1 == lines && text[length]);
        if (count + 1 == lines) length = strlen(text);
        if (length == 0) length = strcspn(text, " "); /* one overlong word */
        if (length > SHORTEN_MEASURED) length = SHORTEN_MEASURED;
        memcpy(line, text, length);
        line[length] = '\0';
        if (area)
            paint_text(paint, (Rect){area->x, area->y + (float)count * pitch, width, pitch}, line,
                       style);
        if (area && cut && whole)
            hits_add(paint->hits, (Hit){.area = *area, .kind = HIT_PLAIN, .tip = whole});
        text += length;
        text += strspn(text, " ");
    }
    return count;
}

float paint_paragraph(Paint *paint, Rect area, const char *text, int lines, PaintText style) {
    style = with_defaults(paint, style);
    if (paint_is_empty(area)) return 0;
    return (float)wrap(paint, &area, area.w, text, lines, style) * ceilf(style.size * PAINT_PITCH);
}

float paint_paragraph_height(Paint *paint, float width, const char *text, int lines,
                             PaintText style) {
    style = with_defaults(paint, style);
    if (!(width > 0)) return 0;
    return (float)wrap(paint, NULL, width, text, lines, style) * ceilf(style.size * PAINT_PITCH);
}

/* --- things ----------------------------------------------------------------------------------- */

void paint_card(Paint *paint, Rect area, Color frame) {
    if (paint_is_empty(area)) return;
    bool plain = frame.a == 0;
    canvas_round_fill(paint->canvas, area, PAINT_RADIUS, paint->theme->surface);
    canvas_round_frame(paint->canvas, area, PAINT_RADIUS, plain ? 1 : 2,
                       plain ? paint->theme->divider : frame);
}

Rect paint_titled_card(Paint *paint, Rect card, float title_height, Rect *title, bool *low) {
    paint_card(paint, card, (Color){0});
    *low = card.h < CARD_LOW;
    Rect inside = paint_inset(card, *low ? PAINT_PAD_LOW : PAINT_PAD);
    *title = paint_cut_top(&inside, title_height);
    paint_cut_top(&inside, *low ? 0 : PAINT_GAP / 2);
    return inside;
}

void paint_hit(Paint *paint, Rect area, const char *action, const char *tip) {
    hits_add(
        paint->hits,
        (Hit){.area = area, .kind = action ? HIT_ACTION : HIT_PLAIN, .action = action, .tip = tip});
}

PaintFlow paint_flow(Rect area, float height, float between, float gap) {
    return (PaintFlow){area, height, between, gap, area.x, area.y};
}

Rect paint_flow_next(PaintFlow *flow, float width) {
    width = fminf(width, flow->area.w);
    if (flow->x > flow->area.x && flow->x + width > flow->area.x + flow->area.w) {
        flow->x = flow->area.x;
        flow->y += flow->height + flow->gap;
    }
    Rect place = {flow->x, flow->y, width, flow->height};
    flow->x += width + flow->between;
    return place;
}

/* The width of a label with single digits doubled, so that neighbours do not move while it counts
 * from 9 to 10. */
static float label_width(Paint *paint, const char *label) {
    char roomy[LABEL_BYTES];
    size_t length = 0;
    bool before = false; /* a digit */
    for (const char *at = label; at && *at; at++) {
        bool digit = *at >= '0' && *at <= '9', next = at[1] >= '0' && at[1] <= '9';
        if (length + 3 > sizeof roomy) return paint_width(paint, label, (PaintText){0});
        if (digit && !before && !next) roomy[length++] = '0';
        roomy[length++] = *at;
        before = digit;
    }
    roomy[length] = '\0';
    return paint_width(paint, roomy, (PaintText){0});
}

float paint_button_width(Paint *paint, const ScreenButton *button) {
    float width = fmaxf(label_width(paint, button->label), label_width(paint, button->other));
    return fmaxf(ceilf(width) + 2 * BUTTON_PAD, BUTTON_MIN);
}

void paint_button(Paint *paint, Rect area, const ScreenButton *button) {
    if (paint_is_empty(area)) return;
    const Theme *theme = paint->theme;
    Color ground = button->on ? theme->accent_wash : theme->raised;
    canvas_round_fill(paint->canvas, area, PAINT_RADIUS, ground);
    if (button->on)
        canvas_round_frame(paint->canvas, area, PAINT_RADIUS, 1, paint_faded(theme->accent, 0x90));
    float pad = fminf(BUTTON_PAD, area.w / 8);
    Color color = button->on ? theme->accent : button->action ? theme->text : theme->muted;
    Rect label = {area.x + pad, area.y, area.w - 2 * pad, area.h};
    paint_text(paint, label, button->label, (PaintText){.align = ALIGN_MIDDLE, .color = color});
    paint_hit(paint, area, button->action, button->tip);
}

Rect paint_buttons_right(Paint *paint, Rect area, const ScreenButton *buttons, int count) {
    float used = 0;
    int fitting = 0;
    while (fitting < count) {
        float width = paint_button_width(paint, &buttons[fitting]) + (fitting > 0 ? PAINT_GAP : 0);
        if (used + width > area.w) break;
        used += width;
        fitting++;
    }
    Rect strip = paint_cut_right(&area, used);
    float height = fminf(PAINT_BUTTON, strip.h);
    for (int index = 0; index < fitting; index++) {
        Rect place = paint_cut_left(&strip, paint_button_width(paint, &buttons[index]));
        place.y += floorf((place.h - height) / 2);
        place.h = height;
        paint_button(paint, place, &buttons[index]);
        paint_cut_left(&strip, PAINT_GAP);
    }
    if (fitting > 0) paint_cut_right(&area, PAINT_GAP);
    return area;
}

void paint_struck(Paint *paint, Rect cells, uint8_t wash, float width, float within) {
    const Theme *theme = paint->theme;
    canvas_fill(paint->canvas, cells, paint_faded(theme->surface, wash));
    Rect at = paint_inset(cells, within * width);
    canvas_line(paint->canvas, at.x, at.y, at.x + at.w, at.y + at.h, width, theme->struck);
    canvas_line(paint->canvas, at.x, at.y + at.h, at.x + at.w, at.y, width, theme->struck);
}

void paint_bar(Paint *paint, Rect area, float share, Color color) {
    float height = fminf(BAR_HEIGHT, area.h);
    Rect trough = {area.x, roundf(area.y + (area.h - height) / 2), area.w, height};
    if (paint_is_empty(trough)) return;
    canvas_round_fill(paint->canvas, trough, height / 2, paint->theme->raised);
    if (!(share > 0)) return;
    trough.w = fmaxf(trough.w * fminf(share, 1), fminf(BAR_MIN, trough.w));
    canvas_round_fill(paint->canvas, trough, height / 2, color);
}

void paint_slider(Paint *paint, Rect area, float share, ScreenSlider which, const char *tip) {
    if (paint_is_empty(area) || area.w < 4 * KNOB) return;
    share = share > 0 ? fminf(share, 1) : 0;
    const Theme *theme = paint->theme;
    float middle = roundf(area.y + area.h / 2), knob = fminf(KNOB, area.h / 2);
    float x = area.x + KNOB + share * (area.w - 2 * KNOB);
    Rect trough = {area.x + KNOB, middle - 2, area.w - 2 * KNOB, 4};
    canvas_round_fill(paint->canvas, trough, 2, theme->raised);
    trough.w = x - trough.x;
    if (trough.w > 0) canvas_round_fill(paint->canvas, trough, 2, theme->accent);
    Rect round = {x - knob, middle - knob, 2 * knob, 2 * knob};
    canvas_round_fill(paint->canvas, round, knob, theme->accent);
    canvas_round_fill(paint->canvas, paint_inset(round, 2), knob - 2, theme->surface);
    hits_add(
        paint->hits,
        (Hit){.area = area, .kind = HIT_SLIDER, .item = (int)which, .shift_x = KNOB, .tip = tip});
}
