#include "viz/draw/views.h"

#include <math.h>

#define TIP_WIDEST 320.0F
#define TIP_LINES  6
#define TIP_AWAY   18.0F /* below the pointer, which must not hide it */

void draw_tip(Paint *paint, Rect area) {
    const Screen *screen = paint->screen;
    const Theme *theme = paint->theme;
    if (!screen->tip || !*screen->tip || paint_is_empty(area)) return;
    PaintText style = {.passing = true};
    float width = ceilf(paint_width(paint, screen->tip, style)) + 1;
    width = fminf(width, fminf(TIP_WIDEST, area.w - 2 * PAINT_PAD));
    float height = paint_paragraph_height(paint, width, screen->tip, TIP_LINES, style);
    Rect box = {screen->pointer_x + PAINT_GAP, screen->pointer_y + TIP_AWAY, width + 2 * PAINT_GAP,
                height + PAINT_GAP};
    if (!(width > 0) || box.h > area.h) return;
    /* Above the pointer where there is no room below. */
    if (box.y + box.h > area.y + area.h) box.y = screen->pointer_y - PAINT_GAP - box.h;
    box.x = fmaxf(fminf(box.x, area.x + area.w - box.w), area.x);
    box.y = fmaxf(fminf(box.y, area.y + area.h - box.h), area.y);
    box.x = roundf(box.x), box.y = roundf(box.y);
    canvas_round_fill(paint->canvas, box, PAINT_RADIUS, theme->raised);
    canvas_round_frame(paint->canvas, box, PAINT_RADIUS, 1, theme->line);
    Rect text = {box.x + PAINT_GAP, box.y + PAINT_GAP / 2, width, height};
    paint_paragraph(paint, text, screen->tip, TIP_LINES, style);
}
