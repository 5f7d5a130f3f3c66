/* The training page: the curves of a run, the slider over its snapshots, and the heads as they
 * form. */
#include "viz/paint.h"

#include <math.h>

#define CARD_SHARE   0.42F /* of the page's height, at most CARD_MOST */
#define CARD_MOST    320.0F
#define CARD_INSET   12.0F
#define TITLE_HEIGHT 26.0F
#define LINE_HEIGHT  18.0F
#define SLIDER_LINE  26.0F
#define PANELS_LEAST 120.0F

static void draw_slider(Paint *paint, Rect area) {
    const ScreenTrain *train = &paint->screen->train;
    float last = train->snapshots > 1 ? (float)(train->snapshots - 1) : 1;
    float share = train->snapshot >= 0 ? (float)train->snapshot / last : 1;
    paint_slider(paint, area, share, SLIDER_SNAPSHOT,
                 "the heads at another time of the training (PageUp, PageDown)");
}

static void draw_card(Paint *paint, Rect area) {
    const ScreenTrain *train = &paint->screen->train;
    paint_card(paint, area, (Color){0});
    Rect inside = paint_inset(area, CARD_INSET);
    Rect title = paint_cut_top(&inside, TITLE_HEIGHT);
    title = paint_buttons_right(paint, title, train->buttons, train->button_count);
    paint_text(paint, title, train->title ? train->title : "",
               (PaintText){.size = FONT_HEADING, .bold = true});
    if (train->caption)
        paint_text(paint, paint_cut_top(&inside, LINE_HEIGHT), train->caption,
                   (PaintText){.color = paint->theme->muted});
    Rect slider = {0};
    if (train->snapshots > 0) slider = paint_cut_bottom(&inside, SLIDER_LINE);
    Rect axes = draw_train_curves(paint, inside);
    if (train->snapshots <= 0) return;
    if (axes.w > 0) {
        slider.x = axes.x;
        slider.w = axes.w;
    }
    draw_slider(paint, slider);
}

void draw_train(Paint *paint, Rect area) {
    float height = fminf(area.h * CARD_SHARE, CARD_MOST);
    if (area.h - height < PANELS_LEAST) height = fmaxf(area.h - PANELS_LEAST, 0);
    draw_card(paint, paint_cut_top(&area, height));
    paint_cut_top(&area, CARD_INSET);
    draw_panels(paint, area);
}
