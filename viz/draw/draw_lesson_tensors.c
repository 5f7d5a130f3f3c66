/* Tensors whose cells show by colour and stripes where each number comes from, with a legend. */
#include "model/base/minmax.h"
#include "viz/canvas/theme.h"
#include "viz/draw/draw_lesson_blocks.h"
#include "viz/layout/layout.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PAD         LESSON_CARD_PAD
#define BETWEEN     16.0F /* between tensors */
#define LABEL_GAP   6.0F
#define NAMES_MAX   120.0F
#define NOTES_MAX   160.0F
#define NAMES_SHARE 0.25F /* each at most this share of the page */
#define WIDE_MAX    42.0F /* of a cell */
#define BESIDE_MIN  12.0F /* if narrower, the widest tensor gets a line of its own */
#define HIGH_MAX    22.0F
#define HIGH_MIN    12.0F
#define HIGH_MANY   14.0F /* of a cell in a tensor of many rows */
#define GROUP_GAP   6.0F
#define STRIPE      2.0F
#define TEXT_CELL   32.0F /* wider cells have their origin written in */
#define SWATCH      14.0F

enum { MANY_ROWS = 24, STRIPES_MAX = 3 };

typedef struct TensorPlan {
    float wide, high;   /* of a cell */
    float names, notes; /* at most, of the names and notes of rows */
} TensorPlan;

static const PaintText label_style = {.size = FONT_TOKEN};

static float widest(Paint *paint, const char *const *texts, int count, float max_width) {
    float width = 0;
    for (int index = 0; texts && index < count; index++)
        width = fmaxf(width, paint_width(paint, texts[index], label_style));
    return width > 0 ? fminf(ceilf(width), max_width) + LABEL_GAP : 0;
}

/* The total of the gaps among `count` cells, one after each `group` cells. */
static float gaps(int count, int group) {
    return group > 0 && count > 0 ? GROUP_GAP * (float)((count - 1) / group) : 0;
}

/* The width of a tensor's card without its cells. */
static float frame_width(Paint *paint, const TensorPlan *plan, const LessonTensor *tensor) {
    return 2 * PAD + widest(paint, tensor->row_names, tensor->rows, plan->names) +
           widest(paint, tensor->row_notes, tensor->rows, plan->notes) +
           gaps(tensor->columns, tensor->column_group);
}

static TensorPlan plan_tensors(Paint *paint, float width, const LessonTensors *tensors) {
    TensorPlan plan = {.names = fminf(NAMES_MAX, width * NAMES_SHARE),
                       .notes = fminf(NOTES_MAX, width * NAMES_SHARE)};
    float alone = WIDE_MAX, frames = -BETWEEN;
    int columns = 0, rows = 0;
    for (int index = 0; index < tensors->count; index++) {
        const LessonTensor *tensor = &tensors->tensors[index];
        float frame = frame_width(paint, &plan, tensor);
        frames += frame + BETWEEN;
        columns += tensor->columns;
        if (tensor->columns > 0) alone = fminf(alone, (width - frame) / (float)tensor->columns);
        if (tensor->rows > rows) rows = tensor->rows;
    }
    plan.wide = columns > 0 ? (width - frames) / (float)columns : WIDE_MAX;
    plan.wide = plan.wide >= BESIDE_MIN ? fminf(plan.wide, WIDE_MAX) : alone;
    if (plan.wide >= 5) plan.wide = floorf(plan.wide);
    plan.wide = fmaxf(plan.wide, 0.5F);
    plan.high = float_clamp(plan.wide, HIGH_MIN, rows > MANY_ROWS ? HIGH_MANY : HIGH_MAX);
    return plan;
}

static float column_place(const TensorPlan *plan, const LessonTensor *tensor, int column) {
    return plan->wide * (float)column + gaps(column + 1, tensor->column_group);
}

static float row_place(const TensorPlan *plan, const LessonTensor *tensor, int row) {
    return plan->high * (float)row + gaps(row + 1, tensor->row_group);
}

static Rect card_of(Paint *paint, const TensorPlan *plan, const LessonTensor *tensor,
                    float max_width) {
    LessonView measure = {.paint = paint};
    Rect card = {.w = frame_width(paint, plan, tensor) + plan->wide * (float)tensor->columns};
    if (tensor->title) card.w = fmaxf(card.w, lesson_card_title_width(paint, tensor->title));
    card.w = fminf(card.w, max_width);
    card.h = 2 * PAD + (tensor->title ? LESSON_CARD_TITLE : 0);
    if (tensor->rows > 0) card.h += row_place(plan, tensor, tensor->rows - 1) + plan->high;
    if (tensor->note)
        card.h += LABEL_GAP + lesson_words(&measure, (Rect){0, 0, card.w - 2 * PAD, 0},
                                           tensor->note, label_style);
    return card;
}

/* --- cells ------------------------------------------------------------------------------------ */

/* Draws one stripe for each example before this one. */
static void draw_stripes(Canvas *canvas, Rect cell, int example, Color ink) {
    int count = example % (STRIPES_MAX + 1);
    ink.a = 0xC8;
    for (int stripe = 0; stripe < count; stripe++) {
        float y = cell.y + cell.h - (float)(stripe + 1) * (STRIPE + 1);
        canvas_fill(canvas, (Rect){cell.x, y, cell.w, STRIPE}, ink);
    }
}

/* Writes the origin into the cell: "b0 t3", without the part that is the same in all cells. */
static void draw_origin(const LessonView *view, Rect cell, const LessonTensors *all,
                        const LessonOrigin *origin, Color ink) {
    char text[48] = "";
    if (all->examples > 1 && all->steps > 1)
        snprintf(text, sizeof text, "b%d t%d", origin->example, origin->step);
    else if (all->examples > 1 || all->steps > 1)
        snprintf(text, sizeof text, "%c%d", all->steps > 1 ? 't' : 'b',
                 all->steps > 1 ? origin->step : origin->example);
    else
        snprintf(text, sizeof text, "h%d", origin->head);
    float size = 9;
    if (canvas_text_width(view->paint->canvas, text, size, false) > cell.w - 3) return;
    int stripes = origin->example % (STRIPES_MAX + 1);
    float middle = cell.y + (cell.h - (float)stripes * (STRIPE + 1)) / 2;
    if (cell.h - (float)stripes * (STRIPE + 1) < size + 1) return;
    canvas_text(view->paint->canvas, cell.x + cell.w / 2, middle + TEXT_MIDDLE * size, text,
                &(TextStyle){.size = size, .align = ALIGN_MIDDLE, .color = ink});
}

/* Draws neighbouring cells that look the same as one rectangle; hairlines are drawn over it. */
static void draw_run(const LessonView *view, Rect run, const LessonTensors *all,
                     const LessonOrigin *origin) {
    Canvas *canvas = view->paint->canvas;
    if (lesson_is_nowhere(origin)) {
        canvas_hatch(canvas, run, view->paint->theme->hatch_ground, view->paint->theme->hatch_line);
        return;
    }
    Color color = lesson_color(origin->head, origin->step, all->steps);
    canvas_fill(canvas, run, color);
    draw_stripes(canvas, run, origin->example, color_ink_on(color));
}

static bool look_alike(const LessonOrigin *one, const LessonOrigin *other) {
    if (lesson_is_nowhere(one) || lesson_is_nowhere(other))
        return lesson_is_nowhere(one) && lesson_is_nowhere(other);
    return one->example == other->example && one->step == other->step && one->head == other->head;
}

/* Draws hairline, origin and, for heads beyond LESSON_HEADS, whose colours repeat, a mark at the
 * left. */
static void draw_cell_marks(const LessonView *view, Rect cell, const LessonTensors *all,
                            const LessonOrigin *origin) {
    Canvas *canvas = view->paint->canvas;
    float line = layout_hairline(cell.w);
    if (line > 0)
        canvas_fill(canvas, (Rect){cell.x + cell.w - line, cell.y, line, cell.h},
                    view->paint->theme->grid);
    if (lesson_is_nowhere(origin)) return;
    Color ink = color_ink_on(lesson_color(origin->head, origin->step, all->steps));
    if (origin->head >= LESSON_HEADS && cell.w >= 4)
        canvas_fill(canvas, (Rect){cell.x, cell.y, fmaxf(1, floorf(cell.w / 8)), cell.h}, ink);
    if (cell.w >= TEXT_CELL || (cell.w >= 18 && (all->examples <= 1 || all->steps <= 1)))
        draw_origin(view, cell, all, origin, ink);
}

static void draw_row_cells(const LessonView *view, const TensorPlan *plan,
                           const LessonTensor *tensor, const LessonTensors *all, Rect line,
                           int row) {
    const LessonOrigin *cells = tensor->cells + (size_t)row * (size_t)tensor->columns;
    int group = tensor->column_group;
    for (int column = 0, next; column < tensor->columns; column = next) {
        for (next = column + 1; next < tensor->columns; next++)
            if ((group > 0 && next % group == 0) || !look_alike(&cells[column], &cells[next]))
                break;
        Rect run = {line.x + column_place(plan, tensor, column), line.y,
                    plan->wide * (float)(next - column), line.h};
        draw_run(view, run, all, &cells[column]);
        for (int at = column; at < next; at++) {
            run.w = plan->wide;
            run.x = line.x + column_place(plan, tensor, at);
            draw_cell_marks(view, run, all, &cells[at]);
        }
    }
}

static void draw_rows(const LessonView *view, const TensorPlan *plan, const LessonTensor *tensor,
                      const LessonTensors *all, Rect card, float top) {
    Paint *paint = view->paint;
    float names = widest(paint, tensor->row_names, tensor->rows, plan->names);
    float notes = widest(paint, tensor->row_notes, tensor->rows, plan->notes);
    float x = card.x + PAD + names;
    float right = x + plan->wide * (float)tensor->columns +
                  gaps(tensor->columns, tensor->column_group) + LABEL_GAP;
    for (int row = 0; row < tensor->rows; row++) {
        Rect line = {card.x, top + row_place(plan, tensor, row), card.w, plan->high};
        if (!lesson_sees(view, line)) continue;
        Rect cells = {x, line.y, line.w, line.h - layout_hairline(plan->high)};
        draw_row_cells(view, plan, tensor, all, cells, row);
        float height = fmaxf(line.h, FONT_TOKEN), lift = (height - line.h) / 2;
        PaintText style = {.size = fminf(FONT_TOKEN, line.h - 1), .color = paint->theme->muted};
        if (names > 0)
            paint_text(paint, (Rect){card.x + PAD, line.y - lift, names - LABEL_GAP, height},
                       tensor->row_names[row], style);
        if (notes <= 0) continue;
        Color tone = lesson_tone(paint, tensor->row_tones ? tensor->row_tones[row] : TONE_PLAIN);
        style.color = tone.a ? tone : paint->theme->text;
        style.bold = tensor->row_tones && tensor->row_tones[row] == TONE_STRONG;
        paint_text(paint, (Rect){right, line.y - lift, notes - LABEL_GAP, height},
                   tensor->row_notes[row], style);
    }
}

static void draw_card(const LessonView *view, const TensorPlan *plan, const LessonTensor *tensor,
                      const LessonTensors *all, Rect card) {
    Paint *paint = view->paint;
    if (!lesson_sees(view, card)) return;
    lesson_card(view, card, tensor->tone, tensor->title);
    float top = card.y + PAD + (tensor->title ? LESSON_CARD_TITLE : 0);
    canvas_clip_push(paint->canvas, paint_inset(card, 1));
    draw_rows(view, plan, tensor, all, card, top);
    canvas_clip_pop(paint->canvas);
    if (tensor->rows > 0) top += row_place(plan, tensor, tensor->rows - 1) + plan->high;
    Rect note = {card.x + PAD, top + LABEL_GAP, card.w - 2 * PAD, 0};
    lesson_card_note(view, note, tensor->tone, tensor->note);
}

/* --- the legend ------------------------------------------------------------------------------- */

/* Draws `count` swatches followed by a text. */
static void legend_entry(const LessonView *view, PaintFlow *flow, const LessonOrigin *first,
                         int count, const LessonTensors *all, const char *text) {
    float words = ceilf(paint_width(view->paint, text, label_style));
    Rect place = paint_flow_next(flow, (float)count * SWATCH + LABEL_GAP + words + 2 * LABEL_GAP);
    if (!lesson_sees(view, place)) return;
    for (int index = 0; index < count; index++) {
        LessonOrigin origin = first[index];
        Rect swatch = {place.x + (float)index * SWATCH, place.y, SWATCH, SWATCH};
        draw_run(view, swatch, all, &origin);
        if (origin.head >= LESSON_HEADS) draw_cell_marks(view, swatch, all, &origin);
    }
    PaintText style = label_style;
    style.color = view->paint->theme->muted;
    style.passing = true;
    paint_cut_left(&place, (float)count * SWATCH + LABEL_GAP);
    paint_text(view->paint, place, text, style);
}

enum { LEGEND_HEADS = 24, LEGEND_EXAMPLES = STRIPES_MAX + 1, LEGEND_STEPS = 6 };

/* Draws an entry for each of the first `limit` values that origins take, heads or examples, the
 * first with their name, and `more` after the last if some are left out. */
static void legend_values(const LessonView *view, PaintFlow *flow, const LessonTensors *all,
                          bool heads, int limit, const char *name, const char *more) {
    int count = heads ? all->heads : all->examples, middle = all->steps / 2;
    for (int index = 0; count > 1 && index < int_min(count, limit); index++) {
        LessonOrigin origin = {heads ? 0 : index, middle, heads ? index : 0, 0};
        bool cut = index + 1 == limit && limit < count;
        char text[64];
        snprintf(text, sizeof text, "%s%d%s", index ? "" : name, index, cut ? more : "");
        legend_entry(view, flow, &origin, 1, all, text);
    }
}

static float draw_legend(const LessonView *view, Rect area, const LessonTensors *all) {
    PaintFlow flow = paint_flow(area, SWATCH, 0, LABEL_GAP);
    legend_values(view, &flow, all, true, LEGEND_HEADS, "head ", " …");
    if (all->steps > 1) {
        LessonOrigin steps[LEGEND_STEPS];
        int count = int_min(all->steps, LEGEND_STEPS);
        for (int index = 0; index < count; index++)
            steps[index] = (LessonOrigin){0, index * (all->steps - 1) / (count - 1), 0, 0};
        char text[32];
        snprintf(text, sizeof text, "steps 0 to %d", all->steps - 1);
        legend_entry(view, &flow, steps, count, all, text);
    }
    legend_values(view, &flow, all, false, LEGEND_EXAMPLES, "example ", ", and so on");
    return flow.x > area.x ? flow.y + SWATCH - area.y : 0;
}

float lesson_tensors_block(const LessonView *view, Rect area, const LessonTensors *tensors) {
    if (tensors->count < 1) return 0;
    float legend = draw_legend(view, area, tensors);
    Rect rest = area;
    if (legend > 0) rest.y += legend + PAD;
    TensorPlan plan = plan_tensors(view->paint, area.w, tensors);
    float x = rest.x, y = rest.y, height = 0;
    for (int index = 0; index < tensors->count; index++) {
        Rect card = card_of(view->paint, &plan, &tensors->tensors[index], area.w);
        if (x > rest.x && x + card.w > rest.x + rest.w + 0.5F) {
            y += height + BETWEEN;
            x = rest.x;
            height = 0;
        }
        card.x = x;
        card.y = y;
        draw_card(view, &plan, &tensors->tensors[index], tensors, card);
        height = fmaxf(height, card.h);
        x += card.w + BETWEEN;
    }
    return y + height - area.y;
}
