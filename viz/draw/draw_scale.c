#include "viz/draw/draw_cells.h"
#include "viz/draw/views.h"

#include <math.h>
#include <stdio.h>

#define BAR_HEIGHT  10.0F
#define STACKED_MIN 26.0F /* in lower areas the numbers are beside the bar */

static void draw_bar(Paint *paint, Rect area, bool diverging) {
    CellScale scale = {.colormap = paint->screen->colormap, .diverging = diverging};
    if (!paint_is_empty(area)) draw_ramp(paint->canvas, paint->theme, area, &scale, RAMP_STEPS_MAX);
}

static void draw_stacked(Paint *paint, Rect area, const char *low, const char *high, bool diverging,
                         const char *caption) {
    PaintText style = {.size = FONT_TOKEN, .color = paint->theme->muted, .passing = true};
    draw_bar(paint, paint_cut_top(&area, BAR_HEIGHT), diverging);
    paint_cut_top(&area, 2);
    Rect line = paint_cut_top(&area, FONT_TOKEN + 4);
    float ends = fmaxf(paint_width(paint, low, style), paint_width(paint, high, style)) + 6;
    if (2 * ends > line.w) return;
    paint_text(paint, paint_cut_left(&line, ends), low, style);
    style.align = ALIGN_END;
    paint_text(paint, paint_cut_right(&line, ends), high, style);
    style.align = ALIGN_MIDDLE;
    if (caption) style.passing = false;
    paint_text(paint, line, caption ? caption : diverging ? "0" : "", style);
}

static void draw_inline(Paint *paint, Rect area, const char *low, const char *high, bool diverging,
                        const char *caption) {
    PaintText style = {.size = FONT_TOKEN, .color = paint->theme->muted, .passing = true};
    float left = ceilf(paint_width(paint, low, style)),
          right = ceilf(paint_width(paint, high, style));
    if (left + right + 48 > area.w) return;
    if (caption) {
        float width = fminf(ceilf(paint_width(paint, caption, style)), area.w - left - right - 96);
        Rect place = paint_cut_left(&area, width + PAINT_GAP);
        style.passing = false;
        if (width > 24) paint_text(paint, (Rect){place.x, place.y, width, place.h}, caption, style);
        style.passing = true;
    }
    paint_text(paint, paint_cut_left(&area, left), low, style);
    paint_text(paint, paint_cut_right(&area, right), high, style);
    Rect bar = paint_inset(area, 6);
    bar.h = fminf(BAR_HEIGHT, area.h);
    bar.y = roundf(area.y + (area.h - bar.h) / 2);
    draw_bar(paint, bar, diverging);
}

void draw_scale(Paint *paint, Rect area, float top, bool diverging, const char *caption) {
    if (paint_is_empty(area)) return;
    char low[24], high[24];
    if (!(top > 0)) top = 1;
    snprintf(high, sizeof high, "%s%.2g", diverging ? "+" : "", (double)top);
    if (diverging)
        snprintf(low, sizeof low, "−%.2g", (double)top);
    else
        snprintf(low, sizeof low, "0");
    if (area.h >= STACKED_MIN)
        draw_stacked(paint, area, low, high, diverging, caption);
    else
        draw_inline(paint, area, low, high, diverging, caption);
}
