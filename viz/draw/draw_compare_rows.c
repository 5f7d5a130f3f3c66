#include "viz/draw/views.h"

#include "model/base/minmax.h"
#include "viz/layout/axis_plan.h"

#include <math.h>
#include <stdio.h>

#define TITLE_HEIGHT   24.0F
#define ROW_MAX        25.0F
#define ROW_MIN        13.0F
#define ROW_SMALL      16.0F /* lower rows have a smaller font */
#define NAME_WIDTH_MAX 96.0F
#define BAR_MIN        32.0F
#define COLUMN_MIN     130.0F
#define COLUMN_SPACE   24.0F
#define FIGURE_LINE    18.0F
#define FIGURE_MIN     9.0F /* of the font, if the figures must fit on one line */

enum { VALUE_BYTES = 16, FIGURE_LINES = 2 };

/* The layout of the bars, one for each query, in columns. */
typedef struct Bars {
    Paint *paint;
    const ScreenCompare *compare;
    Rect area;
    float pitch; /* from row to row */
    int columns, per_column;
    float width; /* of a column */
    float name_room, value_room;
} Bars;

static void format_value(double bits, char text[VALUE_BYTES]) {
    if (isfinite(bits))
        snprintf(text, VALUE_BYTES, "%.3f", fmin(fmax(bits, 0), 9));
    else
        snprintf(text, VALUE_BYTES, "–");
}

static bool is_lit(const ScreenCompare *compare, int row) {
    return row == compare->a.lit_row || row == compare->a.pinned_row;
}

static void measure_rooms(Bars *bars) {
    for (int row = 0; row < bars->compare->divergence_count; row++)
        bars->name_room =
            fmaxf(bars->name_room, paint_width(bars->paint, bars->compare->row_names[row],
                                               (PaintText){.bold = is_lit(bars->compare, row)}));
    bars->name_room = ceilf(fminf(bars->name_room, NAME_WIDTH_MAX)) + PAINT_GAP;
    bars->value_room = ceilf(paint_width(bars->paint, "0.000", (PaintText){.bold = true})) + 1;
}

/* Lays out rows with names in as many columns as needed; false if there is no room. */
static bool place_named(Bars *bars, Rect area) {
    int count = bars->compare->divergence_count;
    float min_width = fmaxf(bars->name_room + bars->value_room + BAR_MIN + PAINT_GAP, COLUMN_MIN);
    int max_columns = (int)fmaxf(floorf((area.w + COLUMN_SPACE) / (min_width + COLUMN_SPACE)), 1);
    int fitting = (int)floorf(area.h / ROW_MIN);
    if (fitting < 1 || area.w < bars->name_room + bars->value_room + BAR_MIN) return false;
    bars->columns = (count + fitting - 1) / fitting;
    if (bars->columns > max_columns) return false;
    bars->per_column = (count + bars->columns - 1) / bars->columns;
    bars->pitch = floorf(fminf(area.h / (float)bars->per_column, ROW_MAX));
    bars->width = (area.w + COLUMN_SPACE) / (float)bars->columns - COLUMN_SPACE;
    return true;
}

static Rect row_area(const Bars *bars, int row) {
    int column = row / bars->per_column, down = row % bars->per_column;
    return (Rect){bars->area.x + (float)column * (bars->width + COLUMN_SPACE),
                  bars->area.y + (float)down * bars->pitch, bars->width, bars->pitch};
}

static void draw_named(const Bars *bars, int row) {
    const Theme *theme = bars->paint->theme;
    double bits = bars->compare->divergences[row];
    bool lit = is_lit(bars->compare, row);
    float size = bars->pitch < ROW_SMALL ? FONT_TOKEN : FONT_TEXT;
    Rect line = row_area(bars, row), name = paint_cut_left(&line, bars->name_room);
    paint_cut_right(&name, PAINT_GAP);
    char value[VALUE_BYTES];
    format_value(bits, value);
    paint_token(bars->paint, name, bars->compare->row_names[row],
                (PaintText){.size = size, .bold = lit, .align = ALIGN_END});
    paint_text(bars->paint, paint_cut_right(&line, bars->value_room), value,
               (PaintText){.size = size,
                           .align = ALIGN_END,
                           .bold = lit,
                           .color = lit ? theme->text : theme->muted,
                           .passing = true});
    paint_cut_right(&line, PAINT_GAP);
    /* No bar for a value shown as 0.000. */
    if (isfinite(bits))
        paint_bar(bars->paint, line, bits < 0.0005 ? 0 : (float)bits, theme->accent);
}

/* Draws thin bars in one column, with a name at every N-th row, if there is no room for all names.
 */
static void draw_compact(const Bars *bars) {
    Paint *paint = bars->paint;
    const Theme *theme = paint->theme;
    int count = bars->compare->divergence_count;
    bool names = bars->area.w >= bars->name_room + BAR_MIN;
    int step = axis_step(bars->pitch, ROW_SMALL);
    for (int row = 0; row < count; row++) {
        Rect line = row_area(bars, row);
        if (names) {
            Rect name = paint_cut_left(&line, bars->name_room);
            paint_cut_right(&name, PAINT_GAP);
            name.y += (name.h - ROW_SMALL) / 2;
            name.h = ROW_SMALL;
            if (row % step == 0 && name.y + name.h <= bars->area.y + bars->area.h + 4)
                paint_token(
                    paint, name, bars->compare->row_names[row],
                    (PaintText){.size = FONT_TOKEN, .align = ALIGN_END, .color = theme->muted});
        }
        double bits = bars->compare->divergences[row];
        float gap = line.h >= 3 ? 1 : 0;
        Rect trough = {line.x, line.y, line.w, line.h - gap};
        canvas_fill(paint->canvas, trough,
                    is_lit(bars->compare, row) ? theme->accent_wash : theme->raised);
        if (!(bits > 0)) continue;
        trough.w *= (float)fmin(bits, 1);
        canvas_fill(paint->canvas, trough, theme->accent);
    }
}

static void add_hits(const Bars *bars) {
    const ScreenMap *map = &bars->compare->a;
    int count = bars->compare->divergence_count;
    for (int column = 0; column < bars->columns; column++) {
        int first = column * bars->per_column;
        int here = int_min(count - first, bars->per_column);
        if (here <= 0) break;
        Rect area = row_area(bars, first);
        area.h = bars->pitch * (float)here;
        hits_add(bars->paint->hits, (Hit){.kind = HIT_ROWS,
                                          .area = area,
                                          .id = map->id,
                                          .example = map->example,
                                          .first_row = first,
                                          .row_height = bars->pitch,
                                          .rows = count});
    }
}

static void draw_bars(Paint *paint, Rect area) {
    Bars bars = {.paint = paint, .compare = &paint->screen->compare, .area = area};
    int count = bars.compare->divergence_count;
    if (count <= 0 || !bars.compare->divergences || !bars.compare->row_names) return;
    measure_rooms(&bars);
    bool named = place_named(&bars, area);
    if (!named) {
        bars.columns = 1, bars.per_column = count;
        bars.pitch = area.h / (float)count;
        bars.width = area.w;
    }
    add_hits(&bars); /* before the names, whose tips cover these hits */
    if (!named) {
        draw_compact(&bars);
        return;
    }
    for (int row = 0; row < count; row++)
        draw_named(&bars, row);
}

void draw_compare_rows(Paint *paint, Rect area) {
    const ScreenCompare *compare = &paint->screen->compare;
    if (paint_is_empty(area)) return;
    canvas_clip_push(paint->canvas, area);
    bool low;
    Rect title, inside = paint_titled_card(paint, area, TITLE_HEIGHT, &title, &low);
    PaintText unit = {.size = FONT_TOKEN, .align = ALIGN_END, .color = paint->theme->muted};
    const char *what = "Jensen-Shannon divergence, bits";
    float width = ceilf(paint_width(paint, what, unit)) + 1;
    PaintText heading = {.size = FONT_HEADING, .bold = true};
    const char *name = "how far apart, query by query";
    if (title.w >= width + PAINT_PAD + paint_width(paint, name, heading))
        paint_text(paint, paint_cut_right(&title, width), what, unit);
    paint_text(paint, title, name, heading);
    if (compare->figures && inside.h >= 2 * FIGURE_LINE) {
        PaintText style = {.size = FONT_TEXT, .color = paint->theme->muted};
        int lines = low ? 1 : FIGURE_LINES;
        while (low && style.size > FIGURE_MIN &&
               paint_width(paint, compare->figures, style) > inside.w)
            style.size--;
        float height = paint_paragraph_height(paint, inside.w, compare->figures, lines, style);
        Rect figures = paint_cut_bottom(&inside, height);
        paint_paragraph(paint, figures, compare->figures, lines, style);
        paint_cut_bottom(&inside, low ? 2 : PAINT_GAP);
    }
    if (!paint_is_empty(inside)) draw_bars(paint, inside);
    canvas_clip_pop(paint->canvas);
}
