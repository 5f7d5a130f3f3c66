/* Heat maps side by side, each on a card. All maps of a block have the same cell size, and one
 * scale below them if they share it. */
#include "viz/draw/draw_cells.h"
#include "viz/draw/draw_lesson_blocks.h"
#include "viz/draw/views.h"
#include "viz/layout/axis_plan.h"

#include <math.h>

#define PAD          LESSON_CARD_PAD
#define BETWEEN      14.0F
#define LABEL_GAP    5.0F
#define ROW_NAMES    110.0F /* at most */
#define NAMES_SHARE  0.3F   /* at most this share of a card */
#define COLUMN_NAMES 84.0F
#define CELL_MAX     40.0F
#define CELL_MIN     2.0F
#define CELLS_WIDE   300.0F /* the width of cells, if `together` does not set it */
#define CELLS_HIGH   440.0F
#define TITLE_ROOM   170.0F /* the narrowest card of a longer title or note */
#define LABEL_CELL   13.0F  /* the smallest pitch of labels */
#define NUMBER_CELL  30.0F
#define SCALE_WIDTH  260.0F
#define SCALE_HEIGHT 20.0F

/* The layout shared by all maps of a block. */
typedef struct MapPlan {
    float cell, slot;
    AxisPlan rows, columns;
    bool scales;  /* each map has a scale of its own */
    int together; /* maps in a row; 0: as many as fit */
} MapPlan;

static const PaintText label_style = {.size = FONT_TOKEN};

static float widest_name(Paint *paint, const char *const *names, int count) {
    char number[16];
    float widest = 0;
    for (int index = 0; index < count; index++)
        widest = fmaxf(widest, paint_width(paint, lesson_name(names, index, number, sizeof number),
                                           label_style));
    return ceilf(widest);
}

static bool same_scale(const LessonMap *one, const LessonMap *other) {
    return one->top == other->top && one->diverging == other->diverging;
}

/* Names have a fixed size; some are left out if there is no room for all. */
static AxisPlan plan_names(float cell, float widest, float limit, bool columns) {
    AxisRequest request = {.columns = columns,
                           .pitch = cell,
                           .line = LABEL_CELL / FONT_TOKEN,
                           .size_max = FONT_TOKEN,
                           .size_min = FONT_TOKEN,
                           .size_thinned = FONT_TOKEN,
                           .limit = limit,
                           .gap = LABEL_GAP,
                           .upright_max = fmaxf(cell, LABEL_CELL) - 2,
                           .upright_room = 1};
    AxisPlan plan = axis_plan(&request);
    axis_plan_room(&plan, &request, widest);
    return plan;
}

static MapPlan plan_maps(const LessonView *view, float width, const LessonMaps *maps) {
    MapPlan plan = {.together = maps->together, .cell = CELL_MAX};
    float row_names = 0, column_names = 0;
    for (int index = 0; index < maps->count; index++) {
        const LessonMap *map = &maps->maps[index];
        row_names = fmaxf(row_names, widest_name(view->paint, map->row_names, map->rows));
        column_names =
            fmaxf(column_names, widest_name(view->paint, map->column_names, map->columns));
        plan.scales = plan.scales || !same_scale(map, &maps->maps[0]);
    }
    int side = maps->together < maps->count || maps->together <= 0 ? maps->together : maps->count;
    plan.slot = side > 0 ? (width - BETWEEN * (float)(side - 1)) / (float)side : width;
    float limit = fminf(ROW_NAMES, plan.slot * NAMES_SHARE);
    plan.rows = plan_names(plan.cell, row_names, limit, false);
    for (int index = 0; index < maps->count; index++) {
        const LessonMap *map = &maps->maps[index];
        float room = plan.slot - 2 * PAD - plan.rows.room;
        if (side <= 0) room = fminf(room, CELLS_WIDE);
        if (map->columns > 0) plan.cell = fminf(plan.cell, room / (float)map->columns);
        if (map->rows > 0) plan.cell = fminf(plan.cell, CELLS_HIGH / (float)map->rows);
    }
    plan.cell = fmaxf(plan.cell >= 4 ? floorf(plan.cell) : plan.cell, CELL_MIN);
    plan.rows = plan_names(plan.cell, row_names, limit, false);
    plan.columns = plan_names(plan.cell, column_names, COLUMN_NAMES, true);
    return plan;
}

static Rect cells_of(const MapPlan *plan, const LessonMap *map, Rect card) {
    return (Rect){card.x + PAD + plan->rows.room,
                  card.y + PAD + (map->title ? LESSON_CARD_TITLE : 0) + plan->columns.room,
                  plan->cell * (float)map->columns, plan->cell * (float)map->rows};
}

/* The size of a card, before it is stretched to the height of its row. */
static Rect card_of(const LessonView *view, const MapPlan *plan, const LessonMap *map) {
    LessonView measure = {.paint = view->paint};
    Rect card = {0, 0, 2 * PAD + plan->rows.room + plan->cell * (float)map->columns, 0};
    if (map->title) {
        float title = lesson_card_title_width(view->paint, map->title);
        card.w = fmaxf(card.w, fminf(fminf(title, plan->slot), TITLE_ROOM));
    }
    if (map->note) card.w = fmaxf(card.w, fminf(TITLE_ROOM, plan->slot));
    Rect cells = cells_of(plan, map, card);
    card.h = cells.y + cells.h + PAD;
    if (plan->scales) card.h += SCALE_HEIGHT;
    if (map->note)
        card.h += LABEL_GAP +
                  lesson_words(&measure, (Rect){0, 0, card.w - 2 * PAD, 0}, map->note, label_style);
    return card;
}

/* --- one map ---------------------------------------------------------------------------------- */

static void draw_numbers(const LessonView *view, const CellSource *source, const CellGrid *grid,
                         const CellScale *scale) {
    float size = fminf(floorf(grid->width * 0.34F), FONT_TEXT);
    for (int row = 0; row < grid->rows; row++)
        for (int column = 0; column < grid->columns; column++) {
            CellState state;
            float value = cells_value(source, row, column, &state);
            if (state != CELL_VALUE) continue;
            char number[40];
            cells_number(value, scale->top, number, sizeof number);
            draw_cell_number(view->paint->canvas, cells_place(grid, row, column), number, size,
                             color_ink_on(cells_color(scale, view->paint->theme, value)));
        }
}

/* Frames the marked row or column or, if both are marked, their cell. */
static void draw_marks(const LessonView *view, const LessonMap *map, Rect cells, float size) {
    int row = map->marked_row, column = map->marked_column;
    bool has_row = row >= 0 && row < map->rows, has_column = column >= 0 && column < map->columns;
    if (!has_row && !has_column) return;
    Rect mark = cells;
    if (has_row) {
        mark.y += (float)row * size;
        mark.h = size;
    }
    if (has_column) {
        mark.x += (float)column * size;
        mark.w = size;
    }
    Rect around = paint_inset(mark, -2);
    canvas_frame(view->paint->canvas, around, 2, view->paint->theme->accent);
    around = paint_inset(around, 2);
    if (size >= 8) canvas_frame(view->paint->canvas, around, 1, color_rgb(0xffffff));
}

static void draw_row_names(const LessonView *view, const MapPlan *plan, const LessonMap *map,
                           Rect cells) {
    float size = plan->cell, room = plan->rows.room - LABEL_GAP;
    for (int row = 0; row < map->rows; row += plan->rows.step) {
        char number[16];
        PaintText style = label_style;
        style.align = ALIGN_END;
        style.passing = !map->row_names;
        style.color =
            row == map->marked_row ? view->paint->theme->accent : view->paint->theme->muted;
        float height = fmaxf(size, LABEL_CELL), middle = cells.y + ((float)row + 0.5F) * size;
        Rect place = {cells.x - LABEL_GAP - room, middle - height / 2, room, height};
        paint_text(view->paint, place, lesson_name(map->row_names, row, number, sizeof number),
                   style);
    }
}

static void draw_column_names(const LessonView *view, const MapPlan *plan, const LessonMap *map,
                              Rect cells) {
    float size = plan->cell;
    bool turned = plan->columns.turned;
    Canvas *canvas = view->paint->canvas;
    for (int column = 0; column < map->columns; column += plan->columns.step) {
        char number[16], shown[SHORTEN_BYTES];
        const char *name = lesson_name(map->column_names, column, number, sizeof number);
        TextStyle style = {.size = FONT_TOKEN,
                           .upward = turned,
                           .align = turned ? ALIGN_START : ALIGN_MIDDLE,
                           .color = column == map->marked_column ? view->paint->theme->accent
                                                                 : view->paint->theme->muted};
        float middle = cells.x + ((float)column + 0.5F) * size;
        paint_fit(view->paint, name,
                  turned ? plan->columns.room - LABEL_GAP : fmaxf(size, LABEL_CELL), label_style,
                  shown);
        canvas_text(canvas, turned ? middle + TEXT_MIDDLE * FONT_TOKEN : middle,
                    cells.y - LABEL_GAP, shown, &style);
    }
}

static void draw_cells_of(const LessonView *view, const MapPlan *plan, const LessonMap *map,
                          Rect cells) {
    Paint *paint = view->paint;
    CellSource source = {.values = map->values, .states = map->states, .columns = map->columns};
    CellGrid grid = {.x = cells.x,
                     .y = cells.y,
                     .width = plan->cell,
                     .height = plan->cell,
                     .rows = map->rows,
                     .columns = map->columns};
    CellScale scale = {.top = map->top > 0 ? map->top : 1,
                       .colormap = paint->screen->colormap,
                       .diverging = map->diverging};
    draw_cells(paint->canvas, paint->theme, &source, &grid, &scale);
    if (plan->cell >= NUMBER_CELL) draw_numbers(view, &source, &grid, &scale);
    canvas_frame(paint->canvas, paint_inset(cells, -1), 1, paint->theme->line);
    draw_marks(view, map, cells, plan->cell);
}

static void draw_card(const LessonView *view, const MapPlan *plan, const LessonMap *map,
                      Rect card) {
    Paint *paint = view->paint;
    if (!lesson_sees(view, card)) return;
    lesson_card(view, card, map->tone, map->title);
    if (map->action) paint_hit(paint, card, map->action, NULL);
    Rect cells = cells_of(plan, map, card);
    if (map->rows > 0 && map->columns > 0) {
        canvas_clip_push(paint->canvas, paint_inset(card, 1));
        draw_row_names(view, plan, map, cells);
        draw_column_names(view, plan, map, cells);
        draw_cells_of(view, plan, map, cells);
        canvas_clip_pop(paint->canvas);
    }
    Rect below = {card.x + PAD, cells.y + cells.h + LABEL_GAP, card.w - 2 * PAD, 0};
    if (plan->scales) {
        below.h = SCALE_HEIGHT;
        draw_scale(paint, below, map->top, map->diverging, NULL);
        below.y += SCALE_HEIGHT;
    }
    lesson_card_note(view, below, map->tone, map->note);
}

/* --- all of them ------------------------------------------------------------------------------ */

/* Draws a row of cards of equal height, and sets *next to the map after them. Returns the height.
 */
static float draw_row(const LessonView *view, const MapPlan *plan, Rect area,
                      const LessonMaps *maps, int first, int *next) {
    float x = area.x, height = 0;
    for (*next = first; *next < maps->count; ++*next) {
        if (plan->together > 0 && *next - first >= plan->together) break;
        Rect card = card_of(view, plan, &maps->maps[*next]);
        if (*next > first && x + card.w > area.x + area.w + 0.5F) break;
        height = fmaxf(height, card.h);
        x += card.w + BETWEEN;
    }
    x = area.x;
    for (int index = first; view->draws && index < *next; index++) {
        Rect card = card_of(view, plan, &maps->maps[index]);
        card = (Rect){x, area.y, card.w, height};
        draw_card(view, plan, &maps->maps[index], card);
        x += card.w + BETWEEN;
    }
    return height;
}

float lesson_maps_block(const LessonView *view, Rect area, const LessonMaps *maps) {
    if (maps->count < 1) return 0;
    MapPlan plan = plan_maps(view, area.w, maps);
    Rect line = area;
    for (int first = 0, next; first < maps->count; first = next) {
        if (first > 0) line.y += BETWEEN;
        line.y += draw_row(view, &plan, line, maps, first, &next);
    }
    if (plan.scales) return line.y - area.y;
    Rect scale = {area.x, line.y + LABEL_GAP, fminf(SCALE_WIDTH, area.w), SCALE_HEIGHT};
    if (lesson_sees(view, scale))
        draw_scale(view->paint, scale, maps->maps[0].top, maps->maps[0].diverging, NULL);
    return scale.y + scale.h - area.y;
}
