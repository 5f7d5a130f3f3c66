#include "viz/draw/views.h"

#include "model/base/minmax.h"

#include <math.h>

#define TITLE_HEIGHT  28.0F
#define SCALE_WIDTH   220.0F
#define SCALE_MIN     112.0F
#define STRIP_MIN     150.0F
#define STRIP_MAX     300.0F
#define STRIP_SHARE   0.28F  /* of the height, for the strip below the panels */
#define STRIP_FROM    400.0F /* lower areas have no strip */
#define CELL_READABLE 14.0F  /* with a strip, cells may shrink to this size */
#define CELLS_MIN     150.0F /* and on the training page, the square of a card */
#define MUCH_LARGER   1.4F
#define BESIDE_CELLS  76.0F /* roughly what titles and tokens take of a card's width ... */
#define ABOVE_CELLS   64.0F /* ... and height */

/* The layout of the panels; all have the same cell size. */
typedef struct PanelGrid {
    int columns, rows;
    float card_w, card_h;
    MapStyle style;
} PanelGrid;

static const MapStyle panel_style = {.title = true, .labels = true, .numbers = true};

/* The largest cell size at which all maps fit into a card; maps with the same tokens are measured
 * once. */
static float cell_for(Paint *paint, Rect card) {
    const ScreenPanels *panels = &paint->screen->panels;
    float cell = INFINITY;
    for (int index = 0; index < panels->count; index++) {
        const ScreenMap *map = &panels->maps[index], *before = map - 1;
        if (index > 0 && map->axes == before->axes && map->rows == before->rows &&
            map->columns == before->columns)
            continue;
        cell = fminf(cell, map_cell_max(paint, card, map, panel_style));
    }
    return cell;
}

static PanelGrid grid_with(Paint *paint, Rect area, int columns) {
    PanelGrid grid = {.columns = columns, .style = panel_style};
    grid.rows = (paint->screen->panels.count + columns - 1) / columns;
    grid.card_w = floorf((area.w - (float)(columns - 1) * PAINT_GAP) / (float)columns);
    grid.card_h = floorf((area.h - (float)(grid.rows - 1) * PAINT_GAP) / (float)grid.rows);
    grid.style.cell = cell_for(paint, (Rect){area.x, area.y, grid.card_w, grid.card_h});
    return grid;
}

/* The side of the square that a card leaves for cells, without regard to its tokens. */
static float square_of(Rect area, int count, int columns) {
    int rows = (count + columns - 1) / columns;
    float width = (area.w - (float)(columns - 1) * PAINT_GAP) / (float)columns;
    float height = (area.h - (float)(rows - 1) * PAINT_GAP) / (float)rows;
    return fminf(width - BESIDE_CELLS, height - ABOVE_CELLS);
}

/* Returns the number of columns with the largest square_of and, among equals, the fewest empty
 * places. Ignores tokens: they may change at each training step, and panels must not jump. */
static int columns_by_area(Rect area, int count) {
    int best = 1;
    for (int columns = 2; columns <= count; columns++) {
        float gain = square_of(area, count, columns) - square_of(area, count, best);
        int empty = (count + columns - 1) / columns * columns - count;
        int best_empty = (count + best - 1) / best * best - count;
        if (gain > 0.5F || (gain > -0.5F && empty < best_empty)) best = columns;
    }
    return best;
}

/* Maps that are far from square may have much larger cells in another grid. */
static PanelGrid choose_grid(Paint *paint, Rect area) {
    int count = paint->screen->panels.count;
    PanelGrid best = grid_with(paint, area, columns_by_area(area, count));
    if (paint->screen->page == PAGE_TRAIN) return best;
    float enough = best.style.cell * MUCH_LARGER;
    for (int columns = 1; columns <= count; columns++) {
        PanelGrid grid = grid_with(paint, area, columns);
        if (grid.style.cell > fmaxf(enough, best.style.cell)) best = grid;
    }
    return best;
}

/* The factor by which the cells of all maps can be widened, or heightened. */
static float common_stretch(Paint *paint, Rect area, const PanelGrid *grid, bool wide) {
    const ScreenPanels *panels = &paint->screen->panels;
    Rect card = {area.x, area.y, grid->card_w, grid->card_h};
    float stretch = INFINITY;
    for (int index = 0; index < panels->count; index++)
        stretch =
            fminf(stretch, map_stretch(paint, card, &panels->maps[index], grid->style, wide, 2));
    return map_stretch_whole(grid->style.cell, stretch);
}

/* Stretches the cells of all maps alike to fill the cards. */
static void stretch_cells(Paint *paint, Rect area, PanelGrid *grid) {
    grid->style.wide = grid->style.tall = 1;
    if (!(grid->style.cell > 0)) return;
    grid->style.wide = common_stretch(paint, area, grid, true);
    /* In this order: tokens above wider cells may take less height. */
    grid->style.tall = common_stretch(paint, area, grid, false);
}

/* Lowers the cards to the height that their maps need. */
static void trim_cards(Paint *paint, Rect area, PanelGrid *grid) {
    float needed = 0;
    for (int index = 0; index < paint->screen->panels.count; index++) {
        Rect card = {area.x, area.y, grid->card_w, grid->card_h};
        Rect room = map_room(paint, card, &paint->screen->panels.maps[index], grid->style);
        needed = fmaxf(needed, ceilf(room.h) + 2);
    }
    grid->card_h = fminf(grid->card_h, needed);
}

static void draw_grid(Paint *paint, Rect area, const PanelGrid *grid) {
    const ScreenPanels *panels = &paint->screen->panels;
    for (int index = 0; index < panels->count; index++) {
        int row = index / grid->columns, column = index % grid->columns;
        Rect card = {area.x + (float)column * (grid->card_w + PAINT_GAP),
                     area.y + (float)row * (grid->card_h + PAINT_GAP), grid->card_w, grid->card_h};
        draw_map(paint, card, &panels->maps[index], grid->style);
    }
}

static bool shows_differences(const ScreenPanels *panels) {
    for (int index = 0; index < panels->count; index++)
        if (panels->maps[index].minus) return true;
    return false;
}

/* Draws title and caption, and the scale if the overview, which has one, is hidden or the panels
 * show differences. The scale shrinks to leave room for the caption. */
static void draw_heading(Paint *paint, Rect area) {
    const ScreenPanels *panels = &paint->screen->panels;
    PaintText title = {.size = FONT_HEADING + 1, .bold = true};
    PaintText caption = {.color = paint->theme->muted};
    float width = ceilf(paint_width(paint, panels->title, title));
    float texts = width + 2 * PAINT_GAP + ceilf(paint_width(paint, panels->caption, caption)) + 1;
    bool differences = shows_differences(panels);
    if ((differences || !paint_has_overview(paint)) && area.w > 2.4F * SCALE_MIN) {
        float room = fmaxf(area.w - texts - 2 * PAINT_GAP, SCALE_MIN);
        Rect scale = paint_cut_right(&area, fminf(room, SCALE_WIDTH));
        float top = differences ? paint->screen->compare.reach : paint->screen->top;
        draw_scale(paint, scale, top, differences, differences ? NULL : "weight");
        paint_cut_right(&area, PAINT_GAP * 2);
    }
    paint_text(paint, paint_cut_left(&area, width), panels->title, title);
    paint_cut_left(&area, PAINT_GAP * 2);
    if (area.w > 60) paint_text(paint, area, panels->caption, caption);
}

static bool wants_strip(const Paint *paint, Rect area) {
    const ScreenFocus *focus = &paint->screen->focus;
    return focus->map.trace && !focus->open && !paint->screen->presentation && area.h >= STRIP_FROM;
}

void draw_panels(Paint *paint, Rect area) {
    if (paint_is_empty(area) || paint->screen->panels.count < 1) return;
    draw_heading(paint, paint_cut_top(&area, TITLE_HEIGHT));
    if (paint_is_empty(area)) return;
    PanelGrid grid = choose_grid(paint, area);
    bool strip = wants_strip(paint, area);
    if (strip) {
        Rect above = area;
        float height = float_clamp(floorf(area.h * STRIP_SHARE), STRIP_MIN, STRIP_MAX);
        paint_cut_bottom(&above, height + PAINT_GAP);
        PanelGrid beside = choose_grid(paint, above);
        strip = beside.style.cell >= CELL_READABLE || beside.style.cell >= grid.style.cell * 0.75F;
        if (paint->screen->page == PAGE_TRAIN)
            strip = square_of(above, paint->screen->panels.count, beside.columns) >= CELLS_MIN;
        if (strip) grid = beside;
    }
    stretch_cells(paint, area, &grid);
    /* On the training page, cards keep their height, so that panels do not jump. */
    if (paint->screen->page != PAGE_TRAIN) trim_cards(paint, area, &grid);
    float used = (float)grid.rows * (grid.card_h + PAINT_GAP);
    draw_grid(paint, paint_cut_top(&area, used), &grid);
    if (strip) draw_focus(paint, paint_cut_top(&area, STRIP_MAX));
}
