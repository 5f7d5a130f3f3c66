#include "model/base/minmax.h"
#include "viz/canvas/theme.h"
#include "viz/draw/draw_cells.h"
#include "viz/draw/views.h"

#include <math.h>

#define NUMBER_CELL  30.0F /* smaller cells have no number */
#define QUIET_ALPHA  0x80  /* of the numbers of small weights */
#define LIGHT_ALPHA  0xC8
#define DARK_ALPHA   0x90
#define STRUCK_ALPHA 0xA8

static CellSource source_of(const ScreenMap *map) {
    return (CellSource){
        .trace = map->trace, .id = map->id, .minus = map->minus, .minus_id = map->minus_id};
}

static CellScale scale_of(const Paint *paint, const ScreenMap *map) {
    const Screen *screen = paint->screen;
    float top = map->minus ? screen->compare.reach : screen->top;
    return (CellScale){
        .top = top > 0 ? top : 1, .colormap = screen->colormap, .diverging = map->minus != NULL};
}

/* The grid of all visible cells. */
static CellGrid whole_grid(const MapPlace *place) {
    return (CellGrid){.x = place->cells.x - place->shift_x,
                      .y = place->cells.y - place->shift_y,
                      .width = place->width,
                      .height = place->height,
                      .first_row = place->first_row,
                      .first_column = place->first_column,
                      .rows = place->rows,
                      .columns = place->columns};
}

/* The part of the grid for which the trace has cells. */
static CellGrid written_grid(const MapPlace *place, const ScreenMap *map) {
    CellGrid grid = whole_grid(place);
    TraceShape shape = trace_shape(map->trace, map->id.site);
    bool known = map->id.layer < shape.layers && map->id.head < shape.heads;
    grid.rows = known ? int_min(grid.rows, int_max(shape.queries - grid.first_row, 0)) : 0;
    grid.columns = known ? int_min(grid.columns, int_max(shape.keys - grid.first_column, 0)) : 0;
    return grid;
}

/* --- the axes --------------------------------------------------------------------------------- */

static Color label_color(const Paint *paint, int index, int lit, int pinned) {
    if (index == pinned) return paint->theme->accent;
    return index == lit ? paint->theme->text : paint->theme->muted;
}

static void draw_row_labels(Paint *paint, const ScreenMap *map, const MapPlace *place) {
    const AxisPlan *axis = &place->row_axis;
    AxisMarks marks = axis_marks(axis->step, (int[]){map->lit_row, map->pinned_row}, 2, map->rows);
    CellGrid grid = whole_grid(place);
    char shown[SHORTEN_BYTES];
    for (int row = grid.first_row; row < grid.first_row + grid.rows && axis->size > 0; row++) {
        if (!axis_shows(axis->step, &marks, row)) continue;
        Rect cell = cells_place(&grid, row, grid.first_column);
        float middle = cell.y + cell.h / 2;
        if (middle < place->cells.y || middle > place->cells.y + place->cells.h) continue;
        TextStyle style = {.size = axis->size,
                           .align = ALIGN_END,
                           .color = label_color(paint, row, map->lit_row, map->pinned_row)};
        paint_fit_token(paint, map->axes->rows[row], axis->room - SPACE_LABEL, axis->size, shown);
        canvas_text(paint->canvas, place->cells.x - SPACE_LABEL, middle + TEXT_MIDDLE * axis->size,
                    shown, &style);
    }
}

static void draw_column_labels(Paint *paint, const ScreenMap *map, const MapPlace *place) {
    const AxisPlan *axis = &place->column_axis;
    AxisMarks marks =
        axis_marks(axis->step, (int[]){map->lit_column, map->pinned_column}, 2, map->columns);
    CellGrid grid = whole_grid(place);
    int end = grid.first_column + grid.columns;
    char shown[SHORTEN_BYTES];
    for (int column = grid.first_column; column < end && axis->size > 0; column++) {
        if (!axis_shows(axis->step, &marks, column)) continue;
        Rect cell = cells_place(&grid, grid.first_row, column);
        float middle = cell.x + cell.w / 2;
        if (middle < place->cells.x || middle > place->cells.x + place->cells.w) continue;
        const char *token = map->axes->columns[column];
        bool upward =
            axis_turns(axis, token, canvas_text_width(paint->canvas, token, axis->size, false));
        TextStyle style = {.size = axis->size,
                           .upward = upward,
                           .align = upward ? ALIGN_START : ALIGN_MIDDLE,
                           .color =
                               label_color(paint, column, map->lit_column, map->pinned_column)};
        paint_fit_token(paint, token,
                        upward ? axis->room - SPACE_LABEL : axis->pitch * (float)axis->step,
                        axis->size, shown);
        canvas_text(paint->canvas, upward ? middle + TEXT_MIDDLE * axis->size : middle,
                    place->cells.y - SPACE_LABEL, shown, &style);
    }
}

/* --- the cells -------------------------------------------------------------------------------- */

static Rect part_within(Rect cell, Rect area) {
    float right = fminf(cell.x + cell.w, area.x + area.w);
    float bottom = fminf(cell.y + cell.h, area.y + area.h);
    Rect part = {fmaxf(cell.x, area.x), fmaxf(cell.y, area.y), 0, 0};
    part.w = right - part.x;
    part.h = bottom - part.y;
    return part;
}

static void draw_numbers(Paint *paint, const CellSource *source, const CellGrid *grid,
                         const CellScale *scale, Rect sight, bool tiny) {
    float size = fminf(floorf(fminf(grid->width, grid->height) * 0.34F), FONT_TEXT);
    for (int row = grid->first_row; row < grid->first_row + grid->rows; row++)
        for (int column = grid->first_column; column < grid->first_column + grid->columns;
             column++) {
            CellState state;
            float value = cells_value(source, row, column, &state);
            bool quiet = cells_is_tiny(value) || value == 0;
            if (state != CELL_VALUE || (!tiny && quiet)) continue;
            char number[24];
            cells_number(value, 1, number, sizeof number);
            Color color = color_ink_on(cells_color(scale, paint->theme, value));
            if (quiet) color.a = QUIET_ALPHA;
            /* Centred in the visible part of the cell. */
            draw_cell_number(paint->canvas, part_within(cells_place(grid, row, column), sight),
                             number, size, color);
        }
}

/* Draws lines along both sides of a row or column, `away` pixels from its cells. */
static void draw_band(Paint *paint, Rect band, bool row, float away, float width, Color color) {
    if (row) {
        canvas_fill(paint->canvas, (Rect){band.x, band.y - away - width, band.w, width}, color);
        canvas_fill(paint->canvas, (Rect){band.x, band.y + band.h + away, band.w, width}, color);
    } else {
        canvas_fill(paint->canvas, (Rect){band.x - away - width, band.y, width, band.h}, color);
        canvas_fill(paint->canvas, (Rect){band.x + band.w + away, band.y, width, band.h}, color);
    }
}

/* Draws the bands of a row and of a column. */
static void draw_bands(Paint *paint, const MapPlace *place, int row, int column, float away,
                       float width, Color color) {
    CellGrid grid = whole_grid(place);
    Rect cells = place->cells;
    if (row >= grid.first_row && row < grid.first_row + grid.rows) {
        Rect cell = cells_place(&grid, row, grid.first_column);
        draw_band(paint, (Rect){cells.x, cell.y, cells.w, cell.h}, true, away, width, color);
    }
    if (column >= grid.first_column && column < grid.first_column + grid.columns) {
        Rect cell = cells_place(&grid, grid.first_row, column);
        draw_band(paint, (Rect){cell.x, cells.y, cell.w, cells.h}, false, away, width, color);
    }
}

/* A light frame within a dark one is visible on every colour map. */
static void draw_lit_cell(Paint *paint, const MapPlace *place, int row, int column) {
    CellGrid grid = whole_grid(place);
    if (row < grid.first_row || row >= grid.first_row + grid.rows) return;
    if (column < grid.first_column || column >= grid.first_column + grid.columns) return;
    Rect cell = cells_place(&grid, row, column);
    canvas_frame(paint->canvas, paint_inset(cell, -2), 1, color_rgb(0x0b0d10));
    canvas_frame(paint->canvas, paint_inset(cell, -1), cell.w >= 12 ? 2 : 1, color_rgb(0xffffff));
}

static void draw_all_cells(Paint *paint, const ScreenMap *map, const MapPlace *place,
                           MapStyle style) {
    CellSource source = source_of(map);
    CellGrid grid = written_grid(place, map);
    CellScale scale = scale_of(paint, map);
    canvas_clip_push(paint->canvas, place->cells);
    if (grid.rows > 0 && grid.columns > 0) {
        draw_cells(paint->canvas, paint->theme, &source, &grid, &scale);
        if (style.numbers && fminf(place->width, place->height) >= NUMBER_CELL)
            draw_numbers(paint, &source, &grid, &scale, place->cells, style.tiny);
    }
    Rect cells = place->cells;
    if (map->struck)
        paint_struck(paint, cells, STRUCK_ALPHA, float_clamp(fminf(cells.w, cells.h) / 40, 1.5F, 4),
                     2);
    canvas_clip_pop(paint->canvas);
    canvas_frame(paint->canvas, paint_inset(cells, -1), 1, paint->theme->line);
}

/* Light lines beside dark ones are visible on every colour. The frame of a lit cell may extend two
 * pixels beyond the visible cells. */
static void draw_marks(Paint *paint, const ScreenMap *map, const MapPlace *place) {
    Rect cells = place->cells;
    Color light = paint_faded(color_rgb(0xffffff), LIGHT_ALPHA);
    Color dark = paint_faded(color_rgb(0x0b0d10), DARK_ALPHA);
    bool large = fminf(place->width, place->height) >= 8;
    canvas_clip_push(paint->canvas, paint_inset(cells, -2));
    int row = map->pinned_row, column = map->pinned_column;
    draw_bands(paint, place, row, column, 0, large ? 2 : 1, paint->theme->accent);
    if (large) draw_bands(paint, place, row, column, 2, 1, light);
    row = map->lit_row, column = map->lit_column;
    draw_bands(paint, place, row, column, 0, 1, light);
    if (large) draw_bands(paint, place, row, column, 1, 1, dark);
    draw_lit_cell(paint, place, map->pinned_row, map->pinned_column);
    draw_lit_cell(paint, place, map->lit_row, map->lit_column);
    canvas_clip_pop(paint->canvas);
}

/* --- title and hits --------------------------------------------------------------------------- */

static Color frame_color(const Paint *paint, const ScreenMap *map) {
    if (map->first) return paint->theme->accent;
    return map->second ? paint->theme->accent_second : (Color){0};
}

static void draw_title(Paint *paint, const ScreenMap *map, Rect area) {
    const Theme *theme = paint->theme;
    Rect whole = area;
    Color color = map->struck ? theme->muted : frame_color(paint, map);
    PaintText style = {.size = FONT_TEXT + 1, .bold = true, .color = color};
    PaintText small = {.size = FONT_TOKEN, .align = ALIGN_END, .color = theme->muted};
    if (map->struck) {
        small.color = theme->struck;
        small.bold = true;
        const char *out = map->note ? map->note : "out";
        float room = fminf(ceilf(paint_width(paint, out, small)), area.w * 0.6F);
        paint_text(paint, paint_cut_right(&area, room), out, small);
        paint_cut_right(&area, PAINT_GAP);
    } else if (map->note) {
        float room = area.w - paint_width(paint, map->title, style) - PAINT_GAP;
        if (room >= 24)
            paint_text(paint, (Rect){area.x + area.w - room, area.y, room, area.h}, map->note,
                       small);
        if (room >= 24) area.w -= room;
    }
    float width = paint_text(paint, area, map->title, style);
    if (map->struck && width > 0)
        canvas_fill(paint->canvas, (Rect){area.x, roundf(area.y + area.h / 2), width, 2},
                    theme->struck);
    if (map->action)
        hits_add(paint->hits, (Hit){.area = whole,
                                    .kind = HIT_ACTION,
                                    .id = map->id,
                                    .example = map->example,
                                    .action = map->action});
}

static void add_hits(Paint *paint, const ScreenMap *map, const MapPlace *place, bool focus) {
    Rect cells = place->cells;
    Hit hit = {.area = cells,
               .kind = focus ? HIT_FOCUS : HIT_CELLS,
               .id = map->id,
               .example = map->example,
               .first_row = place->first_row,
               .first_column = place->first_column,
               .row_height = place->height,
               .column_width = place->width,
               .rows = map->rows,
               .columns = map->columns,
               .shift_x = place->shift_x,
               .shift_y = place->shift_y};
    hits_add(paint->hits, hit);
    Hit rows = hit, columns = hit;
    rows.kind = focus ? HIT_FOCUS : HIT_ROWS;
    rows.area = (Rect){cells.x - place->row_axis.room, cells.y, place->row_axis.room, cells.h};
    rows.column_width = 0;
    hits_add(paint->hits, rows);
    columns.kind = focus ? HIT_FOCUS : HIT_COLUMNS;
    columns.area =
        (Rect){cells.x, cells.y - place->column_axis.room, cells.w, place->column_axis.room};
    columns.row_height = 0;
    hits_add(paint->hits, columns);
}

void draw_map(Paint *paint, Rect area, const ScreenMap *map, MapStyle style) {
    if (paint_is_empty(area)) return;
    if (style.title) paint_card(paint, area, frame_color(paint, map));
    hits_add(paint->hits, (Hit){.area = area,
                                .kind = style.focus ? HIT_FOCUS : HIT_MAP,
                                .id = map->id,
                                .example = map->example});
    MapPlace place = map_place(paint, area, map, style);
    draw_title(paint, map, place.title);
    if (!map->trace || paint_is_empty(place.cells)) return;
    draw_all_cells(paint, map, &place, style);
    draw_row_labels(paint, map, &place);
    draw_column_labels(paint, map, &place);
    draw_marks(paint, map, &place);
    add_hits(paint, map, &place, style.focus);
}
