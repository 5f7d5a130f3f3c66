#include "viz/draw/map_place.h"

#include "model/base/minmax.h"
#include "viz/canvas/theme.h"

#include <math.h>
#include <string.h>

#define TITLE_HEIGHT     24.0F
#define TOKEN_MAX        16.0F
#define TOKEN_PRESENTED  12.0F
#define TOKEN_MIN        8.0F
#define TOKEN_THINNED    10.0F /* if some labels are left out */
#define LABEL_ROOM       1.02F /* the space for a label, in its widths */
#define ROW_LABEL_MAX    128.0F
#define COLUMN_LABEL_MAX 96.0F
#define LABEL_SHARE_MAX  0.3F  /* of the area, for labels */
#define LABELLED_MIN     56.0F /* smaller areas have no labels */
#define CELL_MAX         96.0F
#define STRETCH_MAX      2.0F /* of cells that are stretched to fill a card */
#define CELL_WHOLE       6.0F /* larger cells are whole pixels */

/* Measurements of the tokens of an axis. */
typedef struct AxisTokens {
    float usual;       /* the font size if there is room */
    float widest_unit; /* the width of the widest token at a font size of 1 */
} AxisTokens;

static AxisTokens measure_tokens(Paint *paint, const char *const *tokens, int count) {
    AxisTokens found = {.usual = paint->screen->presentation ? TOKEN_PRESENTED : FONT_TOKEN};
    for (int index = 0; tokens && index < count; index++) {
        /* Longer tokens are cut in any case, and need not be measured. */
        bool huge = strlen(tokens[index]) > 256;
        float width =
            huge ? 256
                 : canvas_text_width(paint->canvas, tokens[index], FONT_TOKEN, false) / FONT_TOKEN;
        found.widest_unit = fmaxf(found.widest_unit, width);
    }
    return found;
}

/* `cell`: the smaller side of a cell. */
static AxisPlan axis_for(AxisTokens tokens, float cell, float pitch, float limit, bool columns) {
    AxisRequest request = {.columns = columns,
                           .pitch = pitch,
                           .line = TEXT_ASCENT + TEXT_DESCENT,
                           .size_max = float_clamp(floorf(cell * 0.36F), tokens.usual, TOKEN_MAX),
                           .size_min = TOKEN_MIN,
                           .size_thinned = TOKEN_THINNED,
                           .widest_unit = tokens.widest_unit,
                           .limit = limit,
                           .gap = SPACE_LABEL,
                           .slack = LABEL_ROOM,
                           .upright_room = TEXT_ASCENT,
                           .reach = (TEXT_ASCENT + TEXT_DESCENT) / 2};
    AxisPlan plan = axis_plan(&request);
    axis_plan_room(&plan, &request, tokens.widest_unit * plan.size);
    return plan;
}

typedef struct MapFit {
    Rect area; /* for labels and cells */
    int rows, columns;
    bool labels;
    float zoom, wide, tall;
    AxisTokens row_tokens, column_tokens;
    AxisPlan row_axis, column_axis;
} MapFit;

static float cells_width(const MapFit *fit, float cell) {
    return cell * fit->wide * (float)fit->columns;
}

static float cells_height(const MapFit *fit, float cell) {
    return cell * fit->tall * (float)fit->rows;
}

/* Plans both axes with labels no longer than these limits. */
static void set_axes(MapFit *fit, float cell, float row_limit, float column_limit) {
    float width = cell * fit->wide * fit->zoom, height = cell * fit->tall * fit->zoom;
    float smaller = fminf(width, height);
    row_limit = fminf(ROW_LABEL_MAX, fmaxf(floorf(row_limit), 0));
    column_limit = fminf(COLUMN_LABEL_MAX, fmaxf(floorf(column_limit), 0));
    fit->row_axis = axis_for(fit->row_tokens, smaller, height, row_limit, false);
    fit->column_axis = axis_for(fit->column_tokens, smaller, width, column_limit, true);
}

/* While the cell size is searched, labels may take a share of the area. */
static void fit_axes(MapFit *fit, float cell) {
    fit->row_axis = fit->column_axis = (AxisPlan){.step = 1};
    if (!fit->labels) return;
    set_axes(fit, cell, LABEL_SHARE_MAX * fit->area.w, LABEL_SHARE_MAX * fit->area.h);
}

/* Once the cell size is known, labels may take all the space that the cells leave. */
static void fit_axes_around(MapFit *fit, float cell) {
    fit_axes(fit, cell);
    if (!fit->labels) return;
    set_axes(fit, cell,
             fit->area.w - cells_width(fit, cell) - fit->column_axis.overhang - SPACE_LABEL,
             fit->area.h - cells_height(fit, cell) - fit->row_axis.overhang - SPACE_LABEL);
}

static float largest_cell(const MapFit *fit) {
    float width = fit->area.w - fit->row_axis.room - fit->column_axis.overhang;
    float height = fit->area.h - fit->column_axis.room - fit->row_axis.overhang;
    float cell = fminf(width / cells_width(fit, 1), height / cells_height(fit, 1));
    cell = float_clamp(cell, 0, CELL_MAX);
    return cell >= CELL_WHOLE ? floorf(cell) : cell;
}

/* Searches the cell size from above: smaller cells have smaller labels, which leave more room for
 * cells. */
static float fit_cell(MapFit *fit) {
    float cell = CELL_MAX;
    for (int round = 0; round < 12; round++) {
        fit_axes(fit, cell);
        float next = largest_cell(fit);
        if (next >= cell) return cell;
        cell = next;
    }
    fit_axes(fit, cell);
    return fminf(cell, largest_cell(fit));
}

/* Returns the wanted cell size if it fits, else the largest that does, and plans the axes for it.
 */
static float settle_cell(MapFit *fit, float wanted) {
    float cell = wanted;
    fit_axes(fit, wanted);
    bool fits = wanted > 0 && cells_width(fit, wanted) <= fit->area.w &&
                cells_height(fit, wanted) <= fit->area.h;
    if (!fits) cell = fit_cell(fit);
    fit_axes_around(fit, cell);
    return cell;
}

static Rect cut_title(Rect *area, MapStyle style) {
    if (!style.title) return (Rect){0};
    *area = paint_inset(*area, PAINT_GAP);
    *area = (Rect){area->x + 2, area->y - 2, fmaxf(area->w - 4, 0), area->h};
    return paint_cut_top(area, TITLE_HEIGHT);
}

static MapFit fit_make(Paint *paint, Rect area, const ScreenMap *map, MapStyle style) {
    MapFit fit = {.area = area, .rows = map->rows, .columns = map->columns};
    fit.wide = style.wide > 0 ? style.wide : 1;
    fit.tall = style.tall > 0 ? style.tall : 1;
    fit.zoom = style.zoom > 1 ? fminf(style.zoom, SCREEN_ZOOM) : 1;
    fit.labels = style.labels && map->axes && area.w >= LABELLED_MIN && area.h >= LABELLED_MIN;
    if (!fit.labels) return fit;
    fit.row_tokens = measure_tokens(paint, map->axes->rows, map->rows);
    fit.column_tokens = measure_tokens(paint, map->axes->columns, map->columns);
    return fit;
}

/* Sets the part of an axis that a zoomed map shows; returns its number of cells. */
static int show_part(float start, float zoom, int count, float cell, int *first, float *shift) {
    start = start > 0 ? fminf(start, 1 - 1 / zoom) : 0;
    float begin = start * (float)count, end = begin + (float)count / zoom;
    *first = (int)fminf(floorf(begin), (float)count - 1);
    *shift = (begin - (float)*first) * cell;
    int last = (int)fminf(ceilf(end - 1e-3F), (float)count);
    return last - *first;
}

MapPlace map_place(Paint *paint, Rect area, const ScreenMap *map, MapStyle style) {
    MapPlace place = {0};
    place.title = cut_title(&area, style);
    if (map->rows < 1 || map->columns < 1 || paint_is_empty(area)) return place;
    MapFit fit = fit_make(paint, area, map, style);
    float cell = settle_cell(&fit, style.cell);
    float width = cells_width(&fit, cell), height = cells_height(&fit, cell);
    float wide = fit.row_axis.room + width + fit.column_axis.overhang;
    float tall = fit.column_axis.room + height + fit.row_axis.overhang;
    place.cells = (Rect){roundf(area.x + fmaxf((area.w - wide) / 2, 0) + fit.row_axis.room),
                         roundf(area.y + fmaxf((area.h - tall) / 2, 0) + fit.column_axis.room),
                         width, height};
    place.width = cell * fit.wide * fit.zoom;
    place.height = cell * fit.tall * fit.zoom;
    place.row_axis = fit.row_axis;
    place.column_axis = fit.column_axis;
    place.rows =
        show_part(style.top, fit.zoom, map->rows, place.height, &place.first_row, &place.shift_y);
    place.columns = show_part(style.left, fit.zoom, map->columns, place.width, &place.first_column,
                              &place.shift_x);
    return place;
}

float map_cell_max(Paint *paint, Rect area, const ScreenMap *map, MapStyle style) {
    cut_title(&area, style);
    if (map->rows < 1 || map->columns < 1 || paint_is_empty(area)) return 0;
    MapFit fit = fit_make(paint, area, map, style);
    return fit_cell(&fit);
}

Rect map_room(Paint *paint, Rect area, const ScreenMap *map, MapStyle style) {
    Rect inner = area;
    cut_title(&inner, style);
    if (map->rows < 1 || map->columns < 1 || paint_is_empty(inner)) return area;
    MapFit fit = fit_make(paint, inner, map, style);
    float cell = settle_cell(&fit, style.cell);
    float wide = fit.row_axis.room + cells_width(&fit, cell) + fit.column_axis.overhang;
    float tall = fit.column_axis.room + cells_height(&fit, cell) + fit.row_axis.overhang;
    area.w = fminf(area.w, area.w - inner.w + wide);
    area.h = fminf(area.h, area.h - inner.h + tall);
    return area;
}

float map_stretch(Paint *paint, Rect area, const ScreenMap *map, MapStyle style, bool wide,
                  float kept) {
    Rect room = map_room(paint, area, map, style);
    float spare = wide ? area.w - room.w : area.h - room.h;
    float cells = style.cell * fmaxf((float)(wide ? map->columns : map->rows), 1);
    return fminf(1 + fmaxf(spare - kept, 0) / cells, STRETCH_MAX);
}

float map_stretch_whole(float cell, float stretch) {
    return fmaxf(floorf(cell * stretch) / cell, 1);
}
