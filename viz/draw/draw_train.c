/* The training page: the curves of a run, the slider over its snapshots, and the heads as they
 * form. */
#include "viz/draw/views.h"

#include "model/base/minmax.h"

#include <math.h>

#define TITLE_HEIGHT  28.0F
#define SLIDER_HEIGHT 30.0F
#define TICK          5.0F /* half the height of a snapshot's mark on the slider */
#define KNOB          7.0F /* so much of a slider lies beyond its ends */
#define CURVES_LEAST  150.0F
#define CURVES_MOST   300.0F
#define CURVES_SHARE  0.38F
#define PANELS_LEAST  130.0F
#define BESIDE_BELOW  420.0F /* a lower page with enough width has the panels beside the curves */
#define BESIDE_WIDTH  760.0F

static void draw_heading(Paint *paint, Rect line) {
    const ScreenTrain *train = &paint->screen->train;
    line = paint_buttons_right(paint, line, train->buttons, train->button_count);
    if (train->title) {
        PaintText style = {.size = FONT_HEADING, .bold = true};
        float width = fminf(ceilf(paint_width(paint, train->title, style)) + 1, line.w);
        paint_text(paint, paint_cut_left(&line, width), train->title, style);
        paint_cut_left(&line, PAINT_PAD);
    }
    if (train->caption)
        paint_text(paint, line, train->caption, (PaintText){.color = paint->theme->muted});
}

/* The slider through the snapshots, as long as the axis of steps: its knob's middle goes from one
 * end of that to the other. */
static void draw_snapshots(Paint *paint, Rect line, Rect plot) {
    const ScreenTrain *train = &paint->screen->train;
    if (!paint_is_empty(plot)) {
        line.x = plot.x - KNOB;
        line.w = plot.w + 2 * KNOB;
    }
    /* Where each one stands, beneath the knob. */
    float middle = roundf(line.y + line.h / 2);
    for (int snapshot = 0; snapshot < train->snapshots; snapshot++) {
        float x = line.x + KNOB + screen_snapshot_share(train, snapshot) * (line.w - 2 * KNOB);
        canvas_fill(paint->canvas, (Rect){roundf(x), middle - TICK, 1, 2 * TICK},
                    paint->theme->line);
    }
    paint_slider(paint, line, screen_snapshot_share(train, train->snapshot), SLIDER_SNAPSHOT,
                 train->snapshot_text);
}

static void draw_card(Paint *paint, Rect card) {
    const ScreenTrain *train = &paint->screen->train;
    if (paint_is_empty(card)) return;
    paint_card(paint, card, (Color){0});
    Rect inside = paint_inset(card, PAINT_PAD), slider = {0};
    if (train->snapshots > 0 && inside.h >= SLIDER_HEIGHT)
        slider = paint_cut_bottom(&inside, SLIDER_HEIGHT);
    Rect plot = draw_train_curves(paint, inside);
    if (!paint_is_empty(slider)) draw_snapshots(paint, slider, plot);
}

void draw_train(Paint *paint, Rect area) {
    const ScreenTrain *train = &paint->screen->train;
    if (paint_is_empty(area)) return;
    canvas_clip_push(paint->canvas, area);
    draw_heading(paint, paint_cut_top(&area, TITLE_HEIGHT));
    paint_cut_top(&area, PAINT_GAP);
    Rect card;
    float slider = train->snapshots > 0 ? SLIDER_HEIGHT : 0;
    bool has_panels = paint->screen->panels.count > 0;
    if (has_panels && area.h < BESIDE_BELOW && area.w >= BESIDE_WIDTH) {
        card = paint_cut_left(&area, floorf(area.w * 0.42F));
        paint_cut_left(&area, PAINT_PAD);
    } else if (has_panels && area.h >= CURVES_LEAST + slider + PANELS_LEAST) {
        float height = float_clamp(floorf(area.h * CURVES_SHARE), CURVES_LEAST, CURVES_MOST);
        card = paint_cut_top(&area, height + slider);
        paint_cut_top(&area, PAINT_PAD);
    } else {
        card = area;
        area.h = 0;
    }
    draw_card(paint, card);
    if (!paint_is_empty(area)) draw_panels(paint, area);
    canvas_clip_pop(paint->canvas);
}
