#include "viz/paint.h"

#define STRIP_HEIGHT 34.0F

/* Which world is on show must never be in doubt: a strip in a colour of its own. */
float draw_world(Paint *paint, Rect area) {
    const Screen *screen = paint->screen;
    const Theme *theme = paint->theme;
    if (!screen->world || area.h < STRIP_HEIGHT) return 0;
    Rect strip = paint_cut_top(&area, STRIP_HEIGHT);
    canvas_fill(paint->canvas, strip, paint_faded(theme->struck, 0x26));
    canvas_fill(paint->canvas, paint_cut_left(&strip, 4), theme->struck);
    paint_cut_left(&strip, PAINT_PAD);
    paint_cut_right(&strip, PAINT_PAD);
    strip = paint_buttons_right(paint, strip, screen->world_buttons, screen->world_button_count);
    paint_text(paint, strip, screen->world, (PaintText){.size = FONT_TEXT + 1});
    return STRIP_HEIGHT;
}
