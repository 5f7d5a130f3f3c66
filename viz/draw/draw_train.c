/* The training page: the curves of a run, the slider over its snapshots, and the heads as they
 * form. */
#include "viz/draw/views.h"

#include "model/base/minmax.h"
#include "viz/layout/axis_plan.h"

#include <math.h>
#include <stdio.h>

#define TITLE_HEIGHT  28.0F
#define SLIDER_HEIGHT 30.0F
#define TICK          5.0F /* half the height of a snapshot's mark on the slider */
#define KNOB          7.0F /* how far a slider extends beyond its ends */
#define CURVES_MIN    150.0F
#define CURVES_MAX    300.0F
#define CURVES_SHARE  0.38F
#define PANELS_MIN    130.0F
#define BESIDE_BELOW  420.0F /* lower, wide pages have the panels beside the curves */
#define BESIDE_WIDTH  760.0F
#define LEGEND_HEIGHT 20.0F /* above the plot */
#define AXIS_HEIGHT   20.0F /* below the plot */
#define TICK_SPACE    6.0F
#define TICKS_APART   28.0F /* logical pixels, at least */
#define STEPS_APART   80.0F
#define CURVE_WIDTH   1.5F
#define DOT           3.0F
#define SWATCH        14.0F
#define PLOT_MIN      24.0F

enum { TICK_BYTES = 24 };

/* The value axis of one side. */
typedef struct Axis {
    float top, tick; /* from 0 to top */
    int intervals;
    bool used, given, percent;
} Axis;

typedef struct Plot {
    Paint *paint;
    const ScreenTrain *train;
    Rect area; /* of the curves */
    Axis left, right;
    float last_step, step_tick;
} Plot;

static float largest_value(const ScreenCurve *curve) {
    float largest = 0;
    for (int index = 0; index < curve->count; index++)
        if (isfinite(curve->values[index])) largest = fmaxf(largest, curve->values[index]);
    return largest;
}

/* The range that the curves of one side need; choose_ticks sets the ticks of both sides. */
static Axis axis_make(const ScreenTrain *train, bool right) {
    Axis axis = {0};
    for (int index = 0; index < train->curve_count; index++) {
        const ScreenCurve *curve = &train->curves[index];
        if (curve->second != right) continue;
        bool has_top = curve->top > 0 && isfinite(curve->top);
        axis.used = axis.used || has_top || curve->count > 0;
        axis.given = axis.given || has_top;
        axis.top = fmaxf(axis.top, has_top ? curve->top : largest_value(curve));
        axis.percent = axis.percent || (right && curve->top == 1);
    }
    if (!(axis.top > 0)) axis.top = 1;
    return axis;
}

static void set_ticks(Axis *axis, int intervals) {
    axis->tick =
        axis->given ? axis->top / (float)intervals : axis_nice_step(axis->top / (float)intervals);
    axis->top = axis->tick * (float)intervals;
    axis->intervals = intervals;
}

/* Both sides have the same number of ticks, so that they share a grid: of the numbers that fit, the
 * one that leaves the least space above the curves. */
static void choose_ticks(Plot *plot, float height) {
    static const int choices[] = {5, 4, 2, 1};
    int best = 1;
    float best_waste = INFINITY;
    for (int index = 0; index < 4; index++) {
        int intervals = choices[index];
        if (intervals > 1 && height / (float)intervals < TICKS_APART) continue;
        if (intervals == 1 && best > 1) break;
        Axis left = plot->left, right = plot->right;
        set_ticks(&left, intervals);
        set_ticks(&right, intervals);
        float waste = fmaxf(left.top / plot->left.top, right.top / plot->right.top);
        if (waste >= best_waste * 0.999F) continue;
        best_waste = waste;
        best = intervals;
    }
    set_ticks(&plot->left, best);
    set_ticks(&plot->right, best);
}

static float value_y(const Plot *plot, const Axis *axis, float value) {
    float share = float_clamp(value / axis->top, 0, 1);
    return plot->area.y + plot->area.h * (1 - share);
}

static float step_x(const Plot *plot, float step) {
    float share = float_clamp(step / plot->last_step, 0, 1);
    return plot->area.x + plot->area.w * share;
}

/* --- axes ------------------------------------------------------------------------------------- */

static void format_tick(const Axis *axis, float value, char text[TICK_BYTES]) {
    if (axis->percent)
        snprintf(text, TICK_BYTES, "%.4g %%", (double)value * 100);
    else
        snprintf(text, TICK_BYTES, "%.4g", (double)value);
}

static int tick_count(const Axis *axis) {
    return axis->used ? axis->intervals : -1;
}

static float ticks_width(Paint *paint, const Axis *axis) {
    float widest = 0;
    for (int tick = 0; tick <= tick_count(axis); tick++) {
        char text[TICK_BYTES];
        format_tick(axis, (float)tick * axis->tick, text);
        widest = fmaxf(widest, paint_width(paint, text, (PaintText){.size = FONT_TOKEN}));
    }
    return axis->used ? ceilf(widest) + TICK_SPACE : 0;
}

static void draw_axis(const Plot *plot, const Axis *axis, bool right) {
    const Theme *theme = plot->paint->theme;
    Rect area = plot->area;
    /* The left axis draws the grid; the right one if there is no left axis. */
    bool grid = !right || !plot->left.used;
    for (int tick = 0; tick <= tick_count(axis); tick++) {
        float value = (float)tick * axis->tick, y = roundf(value_y(plot, axis, value));
        char text[TICK_BYTES];
        format_tick(axis, value, text);
        TextStyle style = {
            .size = FONT_TOKEN, .align = right ? ALIGN_START : ALIGN_END, .color = theme->muted};
        float x = right ? area.x + area.w + TICK_SPACE : area.x - TICK_SPACE;
        canvas_text(plot->paint->canvas, x, roundf(y + TEXT_MIDDLE * FONT_TOKEN), text, &style);
        if (grid && tick > 0)
            canvas_fill(plot->paint->canvas, (Rect){area.x, y, area.w, 1}, theme->divider);
    }
}

static void draw_steps(const Plot *plot) {
    const Theme *theme = plot->paint->theme;
    Rect area = plot->area;
    canvas_fill(plot->paint->canvas, (Rect){area.x, area.y + area.h, area.w, 1}, theme->line);
    if (!(plot->last_step > 0)) return;
    int count = (int)floorf(plot->last_step / plot->step_tick * 1.0001F);
    for (int tick = 0; tick <= count; tick++) {
        float step = (float)tick * plot->step_tick, x = roundf(step_x(plot, step));
        char text[TICK_BYTES];
        snprintf(text, sizeof text, tick == count && tick > 0 ? "step %.7g" : "%.7g", (double)step);
        canvas_fill(plot->paint->canvas, (Rect){x, area.y + area.h, 1, 4}, theme->line);
        float width = paint_width(plot->paint, text, (PaintText){.size = FONT_TOKEN});
        x = fminf(x, area.x + area.w - width / 2);
        TextStyle style = {.size = FONT_TOKEN, .align = ALIGN_MIDDLE, .color = theme->muted};
        canvas_text(plot->paint->canvas, x, roundf(area.y + area.h + AXIS_HEIGHT - 5), text,
                    &style);
    }
}

/* --- curves ----------------------------------------------------------------------------------- */

static Color curve_color(const Plot *plot, const ScreenCurve *curve) {
    return curve->second ? plot->paint->theme->accent_second : plot->paint->theme->accent;
}

/* The points of a curve within one column of pixels. */
typedef struct Column {
    float x, enter, leave, high, low;
    bool any;
} Column;

static void draw_column(const Plot *plot, const Column *column, Color color) {
    if (column->any && column->low > column->high)
        canvas_line(plot->paint->canvas, column->x, column->high, column->x, column->low,
                    CURVE_WIDTH, color);
}

/* Draws a number of lines that depends on the columns of pixels, not on the points: from the
 * highest to the lowest point of each column, and from the last point of a column to the first of
 * the next. */
static void draw_curve(const Plot *plot, const ScreenCurve *curve) {
    const Axis *axis = curve->second ? &plot->right : &plot->left;
    Color color = curve_color(plot, curve);
    Column now = {0};
    int points = 0;
    for (int index = 0; index < curve->count; index++) {
        if (!isfinite(curve->values[index]) || !isfinite(curve->steps[index])) {
            draw_column(plot, &now, color);
            now.any = false; /* a gap */
            continue;
        }
        float x = step_x(plot, curve->steps[index]);
        float y = value_y(plot, axis, curve->values[index]);
        points++;
        if (now.any && floorf(x) == floorf(now.x)) {
            now.high = fminf(now.high, y), now.low = fmaxf(now.low, y), now.leave = y;
            continue;
        }
        draw_column(plot, &now, color);
        if (now.any) canvas_line(plot->paint->canvas, now.x, now.leave, x, y, CURVE_WIDTH, color);
        now = (Column){.x = x, .enter = y, .leave = y, .high = y, .low = y, .any = true};
    }
    draw_column(plot, &now, color);
    if (points == 1 && now.any)
        canvas_round_fill(plot->paint->canvas,
                          (Rect){now.x - DOT, now.leave - DOT, 2 * DOT, 2 * DOT}, DOT, color);
}

/* Interpolates the value at a step; false if there is none. */
static bool value_at(const ScreenCurve *curve, float step, float *value) {
    for (int index = 1; index < curve->count; index++) {
        float from = curve->steps[index - 1], to = curve->steps[index];
        if (!(step >= from && step <= to)) continue;
        float share = to > from ? (step - from) / (to - from) : 0;
        *value = curve->values[index - 1] * (1 - share) + curve->values[index] * share;
        return isfinite(*value);
    }
    return false;
}

static void draw_marker(const Plot *plot) {
    const ScreenTrain *train = plot->train;
    if (!(train->at_step >= 0) || !(plot->last_step > 0)) return;
    const Theme *theme = plot->paint->theme;
    Rect area = plot->area;
    float x = roundf(step_x(plot, train->at_step));
    canvas_fill(plot->paint->canvas, (Rect){x, area.y, 1, area.h}, theme->text);
    for (int index = 0; index < train->curve_count; index++) {
        const ScreenCurve *curve = &train->curves[index];
        float value;
        if (!value_at(curve, train->at_step, &value)) continue;
        float y = value_y(plot, curve->second ? &plot->right : &plot->left, value);
        Rect dot = {x + 0.5F - DOT - 1, y - DOT - 1, 2 * DOT + 2, 2 * DOT + 2};
        canvas_round_fill(plot->paint->canvas, dot, DOT + 1, theme->surface);
        canvas_round_fill(plot->paint->canvas, paint_inset(dot, 1), DOT, curve_color(plot, curve));
    }
}

/* Draws the names of the curves in their colours, each above its axis. Returns the space between
 * them. */
static Rect draw_legend(const Plot *plot, Rect line) {
    PaintText style = {.size = FONT_TOKEN, .bold = true};
    for (int index = 0; index < plot->train->curve_count; index++) {
        const ScreenCurve *curve = &plot->train->curves[index];
        if (!curve->name) continue;
        float width = ceilf(paint_width(plot->paint, curve->name, style)) + 1;
        float whole = width + SWATCH + TICK_SPACE;
        Rect place = curve->second ? paint_cut_right(&line, whole) : paint_cut_left(&line, whole);
        curve->second ? paint_cut_right(&line, PAINT_PAD) : paint_cut_left(&line, PAINT_PAD);
        if (place.w < whole) continue;
        style.color = curve_color(plot, curve);
        Rect swatch = paint_cut_left(&place, SWATCH);
        float middle = roundf(swatch.y + swatch.h / 2);
        canvas_round_fill(plot->paint->canvas, (Rect){swatch.x, middle - 1, SWATCH, 3}, 1.5F,
                          style.color);
        paint_cut_left(&place, TICK_SPACE);
        paint_text(plot->paint, place, curve->name, style);
    }
    return line;
}

/* Draws which snapshot is shown, above the marker and between the names of the curves. */
static void draw_marker_text(const Plot *plot, Rect line) {
    const ScreenTrain *train = plot->train;
    if (!train->snapshot_text || train->snapshots <= 0) return;
    PaintText style = {.size = FONT_TOKEN};
    float width = fminf(ceilf(paint_width(plot->paint, train->snapshot_text, style)) + 1, line.w);
    float x =
        train->at_step >= 0 && plot->last_step > 0 ? step_x(plot, train->at_step) : line.x + line.w;
    x = fmaxf(fminf(x - width / 2, line.x + line.w - width), line.x);
    paint_text(plot->paint, (Rect){x, line.y, width, line.h}, train->snapshot_text, style);
}

static bool has_points(const ScreenTrain *train) {
    for (int index = 0; index < train->curve_count; index++)
        if (train->curves[index].count > 0) return true;
    return false;
}

Rect draw_train_curves(Paint *paint, Rect area) {
    const ScreenTrain *train = &paint->screen->train;
    Plot plot = {.paint = paint, .train = train, .last_step = train->last_step};
    Rect legend = paint_cut_top(&area, LEGEND_HEIGHT);
    paint_cut_top(&area, TICK_SPACE);
    paint_cut_bottom(&area, AXIS_HEIGHT);
    if (!(area.h >= PLOT_MIN && area.w >= PLOT_MIN)) return (Rect){0};
    plot.left = axis_make(train, false);
    plot.right = axis_make(train, true);
    choose_ticks(&plot, area.h);
    paint_cut_left(&area, ticks_width(paint, &plot.left));
    paint_cut_right(&area, ticks_width(paint, &plot.right));
    if (area.w < PLOT_MIN) return (Rect){0};
    plot.area = area;
    if (plot.last_step > 0)
        plot.step_tick = axis_nice_step(fmaxf(plot.last_step * STEPS_APART / area.w, 1));
    draw_axis(&plot, &plot.left, false);
    draw_axis(&plot, &plot.right, true);
    draw_steps(&plot);
    draw_marker_text(&plot, draw_legend(&plot, (Rect){area.x, legend.y, area.w, legend.h}));
    if (plot.last_step > 0)
        for (int index = 0; index < train->curve_count; index++)
            draw_curve(&plot, &train->curves[index]);
    draw_marker(&plot);
    if (!has_points(train))
        paint_text(paint, area, "no steps yet",
                   (PaintText){.align = ALIGN_MIDDLE, .color = paint->theme->muted});
    return area;
}

/* --- the page -------------------------------------------------------------------------------- */

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

/* Draws the slider over the snapshots, aligned with the axis of steps. */
static void draw_snapshots(Paint *paint, Rect line, Rect plot) {
    const ScreenTrain *train = &paint->screen->train;
    if (!paint_is_empty(plot)) {
        line.x = plot.x - KNOB;
        line.w = plot.w + 2 * KNOB;
    }
    /* A tick for each snapshot, behind the knob. */
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
    } else if (has_panels && area.h >= CURVES_MIN + slider + PANELS_MIN) {
        float height = float_clamp(floorf(area.h * CURVES_SHARE), CURVES_MIN, CURVES_MAX);
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
