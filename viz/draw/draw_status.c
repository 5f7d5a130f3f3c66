#include "viz/canvas/theme.h"
#include "viz/draw/paint.h"

#include <math.h>
#include <stdio.h>

/* A message on a ground of its own, above the line. */
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

/* The action being typed; its end stays in sight. */
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
    /* What the pointer is on comes first; the keys take what is left, if that is enough. */
    float width = ceilf(paint_width(paint, screen->status, (PaintText){0}));
    Rect status = paint_cut_left(&area, width);
    paint_text(paint, status, screen->status, (PaintText){.halves = true});
    paint_cut_left(&area, PAINT_GAP * 3);
    if (area.w > 80)
        paint_text(paint, area, screen->keys,
                   (PaintText){.align = ALIGN_END, .color = theme->muted});
}
