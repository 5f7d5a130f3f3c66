#include "viz/draw/draw_lesson_blocks.h"

#include "model/base/minmax.h"

#include <math.h>

#define LINE       20.0F
#define BAR_HEIGHT 10.0F
#define BAR_MAX    320.0F
#define BAR_MIN    60.0F
#define BAR_SHOWN  2.0F /* the shortest bar of a value that is not 0 */
#define NAME_SHARE 0.45F
#define BETWEEN    14.0F
#define COLUMN_GAP 36.0F

enum { COLUMN_OF = 10 }; /* bars in a column before another column is used */

/* Widths of names, values and bars, and the number of columns and lines. */
typedef struct BarPlan {
    float names, values, bars;
    int columns, lines;
} BarPlan;

static PaintText name_style(const LessonBar *bar) {
    return (PaintText){.bold = bar->tone == TONE_STRONG};
}

static BarPlan plan_bars(const LessonView *view, float width, const LessonBars *bars) {
    BarPlan plan = {0};
    for (int index = 0; index < bars->count; index++) {
        const LessonBar *bar = &bars->bars[index];
        plan.names = fmaxf(plan.names, lesson_words_width(view, bar->name, name_style(bar)));
        plan.values = fmaxf(plan.values, lesson_words_width(view, bar->value, name_style(bar)));
    }
    plan.names = fminf(plan.names, width * NAME_SHARE);
    plan.values = fminf(plan.values, width * NAME_SHARE);
    float rest = plan.names + plan.values + 2 * BETWEEN;
    plan.bars = float_clamp(width - rest, BAR_MIN, BAR_MAX);
    int fitting = (int)((width + COLUMN_GAP) / (rest + plan.bars + COLUMN_GAP));
    int wanted = (bars->count + COLUMN_OF - 1) / COLUMN_OF;
    plan.columns = fitting < 1 ? 1 : int_min(fitting, wanted);
    if (plan.columns < 1) plan.columns = 1;
    plan.lines = (bars->count + plan.columns - 1) / plan.columns;
    return plan;
}

static Color bar_color(const Paint *paint, const LessonBar *bar) {
    Color tone = lesson_tone(paint, bar->tone);
    if (tone.a) return tone;
    return bar->share < 0 ? paint->theme->accent_second : paint->theme->accent;
}

/* Draws a bar in its trough; from the middle if the bars are signed. */
static void draw_bar(Paint *paint, Rect area, const LessonBar *bar, bool is_signed) {
    Rect trough = {area.x, roundf(area.y + (area.h - BAR_HEIGHT) / 2), area.w, BAR_HEIGHT};
    canvas_round_fill(paint->canvas, trough, 2, paint->theme->raised);
    float share = isfinite(bar->share) ? float_clamp(bar->share, is_signed ? -1 : 0, 1) : 0;
    float whole = is_signed ? trough.w / 2 : trough.w;
    float zero = is_signed ? roundf(trough.x + trough.w / 2) : trough.x;
    if (share != 0) {
        float length = fmaxf(fabsf(share) * whole, BAR_SHOWN);
        Rect fill = {share < 0 ? zero - length : zero, trough.y, length, trough.h};
        canvas_round_fill(paint->canvas, fill, 2, bar_color(paint, bar));
    }
    if (is_signed)
        canvas_fill(paint->canvas, (Rect){zero, trough.y - 3, 1, trough.h + 6},
                    paint->theme->muted);
}

float lesson_bars_block(const LessonView *view, Rect area, const LessonBars *bars) {
    BarPlan plan = plan_bars(view, area.w, bars);
    float step = plan.names + plan.values + plan.bars + 2 * BETWEEN + COLUMN_GAP;
    for (int index = 0; index < bars->count; index++) {
        const LessonBar *bar = &bars->bars[index];
        Rect line = {area.x + step * (float)(index / plan.lines),
                     area.y + LINE * (float)(index % plan.lines), step - COLUMN_GAP, LINE};
        if (!lesson_sees(view, line)) continue;
        PaintText style = name_style(bar);
        style.color = lesson_tone(view->paint, bar->tone);
        paint_text(view->paint, paint_cut_left(&line, plan.names), bar->name, style);
        paint_cut_left(&line, BETWEEN);
        style.align = ALIGN_END;
        paint_text(view->paint, paint_cut_left(&line, plan.values), bar->value, style);
        paint_cut_left(&line, BETWEEN);
        draw_bar(view->paint, line, bar, bars->is_signed);
    }
    return LINE * (float)plan.lines;
}
