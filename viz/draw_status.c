#include "viz/paint.h"

#include <math.h>

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
    /* What the pointer is on comes first; the keys take what is left, if that is enough. */
    float width = ceilf(paint_width(paint, screen->status, (PaintText){0}));
    Rect status = paint_cut_left(&area, width);
    paint_text(paint, status, screen->status, (PaintText){0});
    paint_cut_left(&area, PAINT_GAP * 3);
    if (area.w > 80)
        paint_text(paint, area, screen->keys,
                   (PaintText){.align = ALIGN_END, .color = theme->muted});
}
