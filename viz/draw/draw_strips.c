/* The strips across the window: the top bar, the changes to the model, the status line. */
#include "viz/draw/views.h"

#include <math.h>
#include <stdio.h>

#define TAB_PAD      14.0F
#define STRIP_HEIGHT 34.0F /* of the changes */
#define STRIP_TALL   46.0F /* with two lines of text */

/* --- the top bar ------------------------------------------------------------------------------ */

/* Only the current tab has a background. */
static void draw_tab(Paint *paint, Rect area, const ScreenButton *tab) {
    const Theme *theme = paint->theme;
    if (tab->on) canvas_round_fill(paint->canvas, area, PAINT_RADIUS, theme->raised);
    paint_text(paint, area, tab->label,
               (PaintText){.size = FONT_TEXT + 1,
                           .bold = tab->on,
                           .align = ALIGN_MIDDLE,
                           .color = tab->on ? theme->text : theme->muted});
    paint_hit(paint, area, tab->action, tab->tip);
}

/* The width of the label in bold, so that tabs do not move when the current one changes. */
static float tab_width(Paint *paint, const ScreenButton *tab) {
    PaintText bold = {.size = FONT_TEXT + 1, .bold = true};
    return ceilf(paint_width(paint, tab->label, bold)) + 2 * TAB_PAD;
}

static void draw_tabs(Paint *paint, Rect *area) {
    const Screen *screen = paint->screen;
    float width = 0;
    for (int index = 0; index < screen->tab_count; index++)
        width += tab_width(paint, &screen->tabs[index]);
    float squeeze = width > area->w ? area->w / width : 1;
    Rect strip = paint_cut_right(area, width);
    float space = fmaxf((strip.h - 30) / 2, 0);
    for (int index = 0; index < screen->tab_count; index++) {
        Rect tab = paint_cut_left(&strip, squeeze * tab_width(paint, &screen->tabs[index]));
        draw_tab(paint, (Rect){tab.x, tab.y + space, tab.w, tab.h - 2 * space},
                 &screen->tabs[index]);
    }
}

void draw_topbar(Paint *paint, Rect area) {
    if (paint_is_empty(area)) return;
    const Theme *theme = paint->theme;
    canvas_fill(paint->canvas, area, theme->surface);
    Rect edge = paint_cut_bottom(&area, 1);
    canvas_fill(paint->canvas, edge, theme->divider);
    paint_cut_left(&area, PAINT_GAP * 2);
    paint_cut_right(&area, PAINT_PAD);
    draw_tabs(paint, &area);
    PaintText name = {.size = FONT_HEADING + 1, .bold = true};
    float width = ceilf(paint_width(paint, "headscope", name));
    if (width > area.w) return;
    paint_text(paint, paint_cut_left(&area, width), "headscope", name);
    paint_cut_left(&area, PAINT_GAP * 2);
    paint_cut_right(&area, PAINT_GAP * 2);
    if (area.w > 60)
        paint_text(paint, area, paint->screen->model, (PaintText){.color = theme->muted});
}

/* --- what is changed -------------------------------------------------------------------------- */

/* Changes to the model must be noticed: a strip in a colour of its own. A text that does not fit on
 * one line has two. */
float draw_world(Paint *paint, Rect area) {
    const Screen *screen = paint->screen;
    const Theme *theme = paint->theme;
    if (!screen->world || area.h < STRIP_HEIGHT) return 0;
    float buttons = 0;
    for (int index = 0; index < screen->world_button_count; index++)
        buttons += paint_button_width(paint, &screen->world_buttons[index]) + PAINT_GAP;
    PaintText style = {.size = FONT_TEXT + 1};
    float room = area.w - 2 * PAINT_PAD - 4 - buttons;
    bool tall = paint_width(paint, screen->world, style) > room && area.h >= 3 * STRIP_TALL;
    Rect strip = paint_cut_top(&area, tall ? STRIP_TALL : STRIP_HEIGHT);
    float height = strip.h;
    canvas_fill(paint->canvas, strip, paint_faded(theme->struck, 0x26));
    canvas_fill(paint->canvas, paint_cut_left(&strip, 4), theme->struck);
    paint_cut_left(&strip, PAINT_PAD);
    paint_cut_right(&strip, PAINT_PAD);
    strip = paint_buttons_right(paint, strip, screen->world_buttons, screen->world_button_count);
    if (!tall) {
        paint_text(paint, strip, screen->world, style);
        return height;
    }
    float text = paint_paragraph_height(paint, strip.w, screen->world, 2, style);
    paint_cut_top(&strip, floorf((strip.h - text) / 2));
    paint_paragraph(paint, strip, screen->world, 2, style);
    return height;
}

/* --- the status line -------------------------------------------------------------------------- */

/* Draws a message on a coloured background, above the status line. */
static void draw_notice(Paint *paint, Rect area) {
    const Screen *screen = paint->screen;
    const Theme *theme = paint->theme;
    Color color = screen->notice_alarm ? theme->alarm : theme->accent;
    canvas_fill(paint->canvas, area, theme->surface);
    canvas_fill(paint->canvas, area, paint_faded(color, 0x20));
    canvas_fill(paint->canvas, paint_cut_left(&area, 4), color);
    paint_cut_left(&area, PAINT_PAD);
    paint_cut_right(&area, PAINT_PAD);
    paint_text(paint, area, screen->notice,
               (PaintText){.color = screen->notice_alarm ? theme->alarm : theme->text});
}

/* Draws the action being typed, scrolled so that the caret is visible. */
static void draw_prompt(Paint *paint, Rect area) {
    const char *text = paint->screen->prompt;
    int caret = paint->screen->prompt_caret;
    PaintText style = {.size = FONT_TEXT + 1};
    float sign = ceilf(paint_width(paint, ": ", style));
    paint_text(paint, paint_cut_left(&area, sign), ":", style);
    char begin[SHORTEN_MEASURED];
    snprintf(begin, sizeof begin, "%.*s", caret, text);
    float before = ceilf(paint_width(paint, begin, style));
    float width = ceilf(paint_width(paint, text, style));
    float shift = fmaxf(before + 4 - area.w, 0);
    float baseline = roundf(area.y + area.h / 2 + TEXT_MIDDLE * style.size);
    if (area.w < 8 || area.h < style.size) return;
    canvas_clip_push(paint->canvas, area);
    if (width > 0)
        canvas_text(paint->canvas, area.x - shift, baseline, text,
                    &(TextStyle){.size = style.size, .color = paint->theme->text});
    canvas_fill(paint->canvas, (Rect){area.x + before - shift, area.y + 6, 2, area.h - 12},
                paint->theme->accent);
    canvas_clip_pop(paint->canvas);
}

void draw_status(Paint *paint, Rect area) {
    if (paint_is_empty(area)) return;
    const Screen *screen = paint->screen;
    const Theme *theme = paint->theme;
    canvas_fill(paint->canvas, area, theme->surface);
    if (screen->notice)
        draw_notice(paint, paint_cut_top(&area, fmaxf(area.h - DRAW_STATUS_LINE, 0)));
    canvas_fill(paint->canvas, paint_cut_top(&area, 1), theme->divider);
    paint_cut_left(&area, PAINT_GAP * 2);
    paint_cut_right(&area, PAINT_GAP * 2);
    if (screen->prompt) {
        draw_prompt(paint, area);
        return;
    }
    /* The status comes first; the keys get the remaining width, if there is enough. */
    float width = ceilf(paint_width(paint, screen->status, (PaintText){0}));
    Rect status = paint_cut_left(&area, width);
    paint_text(paint, status, screen->status, (PaintText){.halves = true});
    paint_cut_left(&area, PAINT_GAP * 3);
    if (area.w > 80)
        paint_text(paint, area, screen->keys,
                   (PaintText){.align = ALIGN_END, .color = theme->muted});
}
