#include "viz/draw/paint.h"

#include <math.h>

#define STRIP_HEIGHT 34.0F
#define STRIP_TALL   46.0F /* with two lines of text */

/* Which world is on show must never be in doubt: a strip in a colour of its own. What does not fit
 * on one line has two. */
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
