#include "viz/draw/views.h"

#include <math.h>
#include <stdio.h>

#define TITLE_HEIGHT   26.0F
#define SLIDER_LARGEST 120.0F
#define SLIDER_LEAST   48.0F
#define TITLE_LEAST    90.0F

/* "threshold 0.05", or, where the heaviest lines alone are drawn, from which weight on. */
static void format_threshold(char *text, size_t size, float threshold, float least) {
    if (least > threshold)
        snprintf(text, size, "heaviest, from %.3f", (double)least);
    else
        snprintf(text, size, "threshold %.2f", (double)threshold);
}

/* The slider and its value, at the right of what is left of the title's line. */
static Rect draw_threshold(Paint *paint, Rect line, float least) {
    const ScreenFocus *focus = &paint->screen->focus;
    char text[48];
    format_threshold(text, sizeof text, focus->threshold, least);
    PaintText value = {
        .size = FONT_TOKEN, .color = paint->theme->muted, .align = ALIGN_END, .passing = true};
    float label = ceilf(paint_width(paint, text, value)) + 1;
    float room = line.w - TITLE_LEAST - label - 3 * PAINT_PAD;
    if (room >= SLIDER_LEAST) {
        Rect slider = paint_cut_right(&line, fminf(room, SLIDER_LARGEST));
        paint_slider(paint, slider, focus->threshold, SLIDER_THRESHOLD,
                     "weights below this have no line");
        paint_cut_right(&line, PAINT_PAD);
    }
    if (line.w < label + TITLE_LEAST) return line;
    paint_text(paint, paint_cut_right(&line, label), text, value);
    paint_cut_right(&line, PAINT_PAD);
    return line;
}

static void draw_title(Paint *paint, Rect line, float least) {
    const ScreenFocus *focus = &paint->screen->focus;
    line = paint_buttons_right(paint, line, focus->buttons, focus->button_count);
    if (focus->button_count > 0) paint_cut_right(&line, PAINT_PAD);
    if (focus->lines) line = draw_threshold(paint, line, least);
    if (!focus->title) return;
    Color color = focus->map.struck ? paint->theme->struck : paint->theme->text;
    paint_text(paint, line, focus->title,
               (PaintText){.size = FONT_HEADING, .bold = true, .color = color});
}

void draw_focus(Paint *paint, Rect area) {
    const ScreenFocus *focus = &paint->screen->focus;
    if (paint_is_empty(area)) return;
    canvas_clip_push(paint->canvas, area);
    bool low;
    Rect title, inside = paint_titled_card(paint, area, TITLE_HEIGHT, &title, &low);
    hits_add(
        paint->hits,
        (Hit){.kind = HIT_MAP, .area = area, .id = focus->map.id, .example = focus->map.example});
    if (!paint_is_empty(inside)) {
        float least = focus->threshold;
        if (focus->lines)
            least = draw_focus_lines(paint, inside);
        else if (focus->map.trace && focus->map.axes)
            draw_map(paint, inside, &focus->map,
                     (MapStyle){.labels = true,
                                .numbers = true,
                                .tiny = true,
                                .zoom = focus->zoom,
                                .left = focus->left,
                                .top = focus->top,
                                .focus = true});
        draw_title(paint, title, least);
    }
    canvas_clip_pop(paint->canvas);
}
