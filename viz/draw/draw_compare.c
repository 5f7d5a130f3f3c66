#include "viz/draw/views.h"

#include "model/base/minmax.h"

#include <math.h>

#define TITLE_HEIGHT  26.0F
#define CAPTION_MIN   120.0F /* the caption is left out if it would be shorter */
#define CARD_TITLE    24.0F
#define SCALE_HEIGHT  30.0F /* at the bottom of a card */
#define SCALE_WIDTH   200.0F
#define SCALE_INLINE  116.0F /* of a scale in the title line */
#define SCALE_FROM    280.0F /* lower cards have no scale, or in the title line */
#define LOWER_MIN     138.0F /* the height of the panels below the maps */
#define LOWER_MAX     420.0F
#define LOWER_SHARE   0.38F
#define BESIDE_MIN    250.0F /* the width of the panels beside the maps */
#define BESIDE_MAX    420.0F
#define BESIDE_SHARE  0.3F
#define BESIDE_HEIGHT 300.0F /* lower pages have no panels beside the maps */
#define LOWER_FROM    280.0F /* lower pages show only a line of figures */
#define SPLIT_FROM    440.0F /* narrower pages stack divergences and similarity */
#define REFUSAL_WIDTH 280.0F

enum { REFUSAL_LINES = 8 };

/* The layout of the page. */
typedef struct Plan {
    Rect maps[3]; /* A, B, the difference */
    Rect divergences, similarity;
    MapStyle style; /* shared by all maps */
    bool low;       /* the cards of the maps are low */
} Plan;

/* --- one map ---------------------------------------------------------------------------------- */

static const MapStyle map_style = {.labels = true, .numbers = true, .tiny = true};

/* Cuts a card into title, scale and the area returned, for the map. A low card has no scale line.
 */
static Rect cut_card(Rect card, bool low, Rect *title, Rect *scale) {
    Rect inside = paint_inset(card, low ? PAINT_PAD_LOW : PAINT_PAD);
    *title = paint_cut_top(&inside, CARD_TITLE);
    *scale = (Rect){0};
    if (low) return inside;
    *scale = paint_cut_bottom(&inside, SCALE_HEIGHT);
    scale->w = fminf(scale->w, SCALE_WIDTH);
    paint_cut_bottom(&inside, PAINT_GAP);
    return inside;
}

static bool has_cells(const ScreenMap *map) {
    return map->trace && map->axes && map->rows > 0 && map->columns > 0;
}

static void draw_card_title(Paint *paint, Rect line, const ScreenMap *map, Color color) {
    if (map->note) {
        PaintText style = {.size = FONT_TOKEN, .align = ALIGN_END, .color = paint->theme->muted};
        float width = fminf(ceilf(paint_width(paint, map->note, style)) + 1, line.w / 2);
        paint_text(paint, paint_cut_right(&line, width), map->note, style);
        paint_cut_right(&line, PAINT_GAP);
    }
    if (!map->title) return;
    if (map->action) paint_hit(paint, line, map->action, NULL);
    if (map->struck) color = paint->theme->struck;
    paint_text(paint, line, map->title,
               (PaintText){.size = FONT_HEADING, .bold = true, .color = color});
}

/* Draws the scale at the bottom; in a low card, only that of the difference, beside the title. */
static void draw_card_scale(Paint *paint, Rect scale, Rect *title, bool difference) {
    const Screen *screen = paint->screen;
    float top = difference ? screen->compare.reach : screen->top;
    if (paint_is_empty(scale) && difference && title->w >= 1.5F * SCALE_INLINE) {
        scale = paint_cut_right(title, SCALE_INLINE);
        paint_cut_right(title, PAINT_GAP);
    }
    if (!paint_is_empty(scale)) draw_scale(paint, scale, top > 0 ? top : 1, difference, NULL);
}

static void draw_map_card(Paint *paint, const Plan *plan, int which, const ScreenMap *map,
                          Color frame) {
    Rect card = plan->maps[which];
    if (paint_is_empty(card)) return;
    Rect title, scale, inside = cut_card(card, plan->low, &title, &scale);
    paint_card(paint, card, frame);
    hits_add(paint->hits,
             (Hit){.kind = HIT_MAP, .area = card, .id = map->id, .example = map->example});
    if (has_cells(map)) draw_card_scale(paint, scale, &title, which == 2);
    draw_card_title(paint, title, map, frame);
    if (has_cells(map) && !paint_is_empty(inside)) draw_map(paint, inside, map, plan->style);
}

/* Draws, in place of the difference, why it cannot be computed. */
static void draw_refusal(Paint *paint, const Plan *plan) {
    Rect card = plan->maps[2];
    const ScreenCompare *compare = &paint->screen->compare;
    if (paint_is_empty(card)) return;
    Rect title, scale, inside = cut_card(card, plan->low, &title, &scale);
    paint_card(paint, card, (Color){0});
    draw_card_title(paint, title, &compare->difference, (Color){0});
    float width = fminf(inside.w, REFUSAL_WIDTH);
    PaintText style = {.color = paint->theme->muted};
    float height = paint_paragraph_height(paint, width, compare->refusal, REFUSAL_LINES, style);
    float space = fmaxf((inside.h - height) / 2, 0);
    Rect text = {inside.x + (inside.w - width) / 2, inside.y + floorf(space), width,
                 inside.h - floorf(space)};
    paint_paragraph(paint, text, compare->refusal, REFUSAL_LINES, style);
}

/* --- where all stands ------------------------------------------------------------------------- */

/* Splits the area into three of equal size, in a row or a column. */
static void split_maps(Rect area, bool row, Rect maps[3]) {
    float whole = row ? area.w : area.h;
    float size = fmaxf(floorf((whole - 2 * PAINT_GAP) / 3), 0);
    for (int map = 0; map < 3; map++)
        maps[map] = row ? paint_cut_left(&area, size) : paint_cut_top(&area, size),
        row ? paint_cut_left(&area, PAINT_GAP) : paint_cut_top(&area, PAINT_GAP);
}

/* Returns the map of a card and sets *inside to the area for its cells and labels; NULL if the card
 * has no map. */
static const ScreenMap *map_in_card(Paint *paint, const Plan *plan, int which, Rect *inside) {
    const ScreenCompare *compare = &paint->screen->compare;
    const ScreenMap *maps[] = {&compare->a, &compare->b, &compare->difference};
    Rect title, scale;
    *inside = cut_card(plan->maps[which], plan->low, &title, &scale);
    if (which == 2 && compare->refusal) return NULL;
    return has_cells(maps[which]) ? maps[which] : NULL;
}

/* The largest cell size at which every map fits into its card; 0 if a card is too small. */
static float common_cell(Paint *paint, const Plan *plan) {
    float cell = INFINITY;
    for (int which = 0; which < 3; which++) {
        Rect inside;
        const ScreenMap *map = map_in_card(paint, plan, which, &inside);
        if (!map) continue;
        if (paint_is_empty(inside)) return 0;
        cell = fminf(cell, map_cell_max(paint, inside, map, map_style));
    }
    return isfinite(cell) ? cell : 0;
}

static void set_cell(Paint *paint, Plan *plan) {
    plan->low = plan->maps[0].h < SCALE_FROM;
    plan->style = map_style;
    plan->style.cell = common_cell(paint, plan);
}

/* The height of the tallest card at the chosen cell size. */
static float card_height(Paint *paint, const Plan *plan) {
    float height = 0;
    for (int which = 0; which < 3; which++) {
        Rect inside;
        const ScreenMap *map = map_in_card(paint, plan, which, &inside);
        if (!map || paint_is_empty(inside)) continue;
        Rect room = map_room(paint, inside, map, plan->style);
        height = fmaxf(height, plan->maps[which].h - inside.h + fminf(room.h, inside.h));
    }
    return height > 0 ? ceilf(height) : plan->maps[0].h;
}

/* The factor by which the cells of all maps can be widened, or heightened. */
static float common_stretch(Paint *paint, const Plan *plan, bool wide) {
    float stretch = INFINITY;
    for (int which = 0; which < 3; which++) {
        Rect inside;
        const ScreenMap *map = map_in_card(paint, plan, which, &inside);
        if (map && !paint_is_empty(inside))
            stretch = fminf(stretch, map_stretch(paint, inside, map, plan->style, wide, 0));
    }
    return isfinite(stretch) ? map_stretch_whole(plan->style.cell, stretch) : 1;
}

/* Stretches the cells to fill cards that are larger than square cells need. */
static void stretch_cells(Paint *paint, Plan *plan) {
    if (!(plan->style.cell >= 1)) return;
    plan->style.wide = common_stretch(paint, plan, true);
    plan->style.tall = common_stretch(paint, plan, false);
}

static void split_lower(Plan *plan, Rect area, bool stacked) {
    if (stacked) {
        plan->divergences = paint_cut_top(&area, floorf((area.h - PAINT_GAP) / 2));
        paint_cut_top(&area, PAINT_GAP);
    } else {
        plan->divergences = paint_cut_left(&area, floorf((area.w - PAINT_GAP) / 2));
        paint_cut_left(&area, PAINT_GAP);
    }
    plan->similarity = area;
}

/* Maps at the top, the other panels below. */
static Plan plan_below(Paint *paint, Rect area, bool row) {
    Plan plan = {0};
    bool stacked = area.w < SPLIT_FROM;
    float min = stacked ? 2 * LOWER_MIN + PAINT_GAP : LOWER_MIN;
    float lower =
        float_clamp(floorf(area.h * LOWER_SHARE), min, stacked ? 2 * LOWER_MAX : LOWER_MAX);
    Rect maps = area;
    paint_cut_bottom(&maps, lower + PAINT_GAP);
    split_maps(maps, row, plan.maps);
    set_cell(paint, &plan);
    /* Height that a row of maps does not need goes to the panels, up to their maximum. */
    float spare = plan.maps[0].h - card_height(paint, &plan);
    if (row && plan.style.cell > 0 && spare > 0) {
        float max = fmaxf(stacked ? 2 * LOWER_MAX : LOWER_MAX, lower);
        spare = floorf(fminf(spare, max - lower));
        for (int map = 0; map < 3; map++)
            plan.maps[map].h -= spare;
        lower += spare;
    }
    split_lower(&plan, paint_cut_bottom(&area, lower), stacked);
    return plan;
}

/* Maps at the left, the other panels at the right. */
static Plan plan_beside(Paint *paint, Rect area, bool row) {
    Plan plan = {0};
    float width = float_clamp(floorf(area.w * BESIDE_SHARE), BESIDE_MIN, BESIDE_MAX);
    Rect beside = paint_cut_right(&area, width);
    paint_cut_right(&area, PAINT_GAP);
    split_maps(area, row, plan.maps);
    set_cell(paint, &plan);
    split_lower(&plan, beside, true);
    return plan;
}

/* Returns the layout with the largest cells. */
static Plan plan_make(Paint *paint, Rect area) {
    if (area.h < LOWER_FROM) {
        Plan plan = {0};
        if (area.h >= 3 * TITLE_HEIGHT) plan.divergences = paint_cut_bottom(&area, TITLE_HEIGHT);
        split_maps(area, area.w >= area.h, plan.maps);
        set_cell(paint, &plan);
        return plan;
    }
    Plan best = plan_below(paint, area, true);
    Plan others[3];
    int count = 0;
    others[count++] = plan_below(paint, area, false);
    if (area.h >= BESIDE_HEIGHT && area.w >= 2 * BESIDE_MIN) {
        others[count++] = plan_beside(paint, area, true);
        others[count++] = plan_beside(paint, area, false);
    }
    for (int other = 0; other < count; other++)
        if (others[other].style.cell > best.style.cell * 1.15F) best = others[other];
    return best;
}

/* --- the page --------------------------------------------------------------------------------- */

/* Draws the mode buttons from the left, wrapped into lines. Returns the height used. */
static float draw_modes(Paint *paint, Rect area) {
    const ScreenCompare *compare = &paint->screen->compare;
    PaintFlow flow = paint_flow(area, PAINT_BUTTON, PAINT_GAP, PAINT_GAP / 2);
    for (int mode = 0; mode < compare->mode_count; mode++) {
        Rect place = paint_flow_next(&flow, paint_button_width(paint, &compare->modes[mode]));
        if (place.y + PAINT_BUTTON > area.y + area.h) break;
        paint_button(paint, place, &compare->modes[mode]);
    }
    return flow.y + PAINT_BUTTON - area.y;
}

static float modes_width(Paint *paint) {
    const ScreenCompare *compare = &paint->screen->compare;
    float width = 0;
    for (int mode = 0; mode < compare->mode_count; mode++)
        width += paint_button_width(paint, &compare->modes[mode]) + PAINT_GAP;
    return width;
}

static const PaintText title_style = {.size = FONT_HEADING, .bold = true};

static void draw_title(Paint *paint, Rect line) {
    const ScreenCompare *compare = &paint->screen->compare;
    if (compare->title) {
        float width = fminf(ceilf(paint_width(paint, compare->title, title_style)) + 1, line.w);
        paint_text(paint, paint_cut_left(&line, width), compare->title, title_style);
        paint_cut_left(&line, PAINT_PAD);
    }
    PaintText style = {.color = paint->theme->muted};
    if (compare->caption &&
        line.w >= fminf(paint_width(paint, compare->caption, style), CAPTION_MIN))
        paint_text(paint, line, compare->caption, style);
}

/* Draws title and mode buttons on one line if they fit, else the buttons above the title. */
static void draw_heading(Paint *paint, Rect *area) {
    const ScreenCompare *compare = &paint->screen->compare;
    float modes = modes_width(paint), title = paint_width(paint, compare->title, title_style);
    bool one_line = title + PAINT_PAD + modes <= area->w;
    if (!one_line && modes > 0) {
        paint_cut_top(area, draw_modes(paint, *area));
        paint_cut_top(area, PAINT_GAP / 2);
    }
    Rect line = paint_cut_top(area, PAINT_BUTTON);
    if (one_line) line = paint_buttons_right(paint, line, compare->modes, compare->mode_count);
    draw_title(paint, line);
    paint_cut_top(area, PAINT_GAP);
}

void draw_compare(Paint *paint, Rect area) {
    const ScreenCompare *compare = &paint->screen->compare;
    const Theme *theme = paint->theme;
    if (paint_is_empty(area)) return;
    canvas_clip_push(paint->canvas, area);
    draw_heading(paint, &area);
    Plan plan = plan_make(paint, area);
    stretch_cells(paint, &plan);
    draw_map_card(paint, &plan, 0, &compare->a, theme->accent);
    draw_map_card(paint, &plan, 1, &compare->b, theme->accent_second);
    if (compare->refusal)
        draw_refusal(paint, &plan);
    else
        draw_map_card(paint, &plan, 2, &compare->difference, (Color){0});
    if (!paint_is_empty(plan.similarity)) {
        draw_compare_rows(paint, plan.divergences);
        draw_similarity(paint, plan.similarity);
    } else if (compare->figures) {
        paint_text(paint, plan.divergences, compare->figures, (PaintText){.color = theme->muted});
    }
    canvas_clip_pop(paint->canvas);
}
