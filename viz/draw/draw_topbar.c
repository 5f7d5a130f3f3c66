#include "viz/draw/paint.h"

#include <math.h>

#define TAB_PAD 14.0F

/* A tab is quiet until it is the current one. */
static void draw_tab(Paint *paint, Rect area, const ScreenButton *tab) {
    const Theme *theme = paint->theme;
    if (tab->on) canvas_round_fill(paint->canvas, area, PAINT_RADIUS, theme->raised);
    paint_text(paint, area, tab->label,
               (PaintText){.size = FONT_TEXT + 1,
                           .bold = tab->on,
                           .align = ALIGN_MIDDLE,
                           .color = tab->on ? theme->text : theme->muted});
    hits_add(paint->hits, (Hit){.area = area,
                                .kind = tab->action ? HIT_ACTION : HIT_PLAIN,
                                .action = tab->action,
                                .tip = tab->tip});
}

/* As wide as in bold, so that nothing moves when another one becomes the current one. */
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
