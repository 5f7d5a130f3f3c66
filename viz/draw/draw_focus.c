#include "viz/draw/views.h"

#include "model/base/minmax.h"
#include "viz/layout/axis_plan.h"

#include <math.h>
#include <stdio.h>

#define TITLE_HEIGHT    26.0F
#define SLIDER_MAX      120.0F
#define SLIDER_MIN      48.0F
#define TITLE_MIN       90.0F
#define PITCH_MAX       150.0F /* from token to token */
#define ROW_HEIGHT      20.0F  /* of a row of tokens */
#define STRIP_HEIGHT    5.0F   /* of the hatch that marks masked tokens */
#define MARGIN          24.0F  /* left and right, for the labels of the outermost tokens */
#define LABEL_WIDTH_MAX 112.0F
#define LABEL_WIDTH_MIN 44.0F /* narrower labels are left out instead of shortened */
#define LABEL_SPACE     8.0F
#define LINE_WIDTH_MIN  0.75F
#define LINE_WIDTH_MAX  6.0F
#define FAINT           0.16F /* opacity of the lines that are not highlighted */

/* LINES_MAX: more lines cannot be told apart, and take longer than a frame to draw; only the
 * heaviest are drawn then. */
enum { LINES_MAX = 1200, WEIGHT_BINS = 1024, LABELS_MEASURED = 128, NAME_BYTES = 256 };

/* The tokens of one axis, evenly spaced along x. */
typedef struct TokenRow {
    const char *const *names;
    int count, present; /* of all tokens; of those in the trace */
    int lit, pinned;
    int seen; /* tokens from here on are masked */
    Rect area;
    float origin, pitch; /* the left edge of token 0; from token to token */
    int first, last;     /* visible; last < first: none */
} TokenRow;

typedef struct FocusLines {
    Paint *paint;
    const ScreenMap *map;
    TokenRow keys, queries;
    Rect between;     /* where lines run */
    float top;        /* the weight of the thickest line */
    float min_weight; /* the smallest weight that has a line */
} FocusLines;

static float weight_at(const FocusLines *lines, int query, int key) {
    const ScreenMap *map = lines->map;
    CellState state;
    float weight = trace_cell(map->trace, map->id, query, key, &state);
    if (state != CELL_VALUE) return 0;
    if (!map->minus) return weight;
    weight -= trace_cell(map->minus, map->minus_id, query, key, &state);
    return state == CELL_VALUE ? weight : 0;
}

static float share_of(const FocusLines *lines, float weight) {
    return fminf(fabsf(weight) / lines->top, 1);
}

/* --- the tokens ------------------------------------------------------------------------------- */

static float token_x(const TokenRow *row, int index) {
    return row->origin + ((float)index + 0.5F) * row->pitch;
}

static bool is_emphasised(const TokenRow *row, int index) {
    return index == row->lit || index == row->pinned;
}

static void place_row(TokenRow *row, Rect area, float zoom, float left) {
    row->area = area;
    row->pitch = row->count > 0 ? area.w * zoom / (float)row->count : 0;
    row->origin = area.x - left * area.w * zoom;
    row->first = 0, row->last = -1;
    if (!(row->pitch > 0)) return;
    row->first = (int)fmaxf(floorf((area.x - row->origin) / row->pitch + 1e-3F), 0);
    row->last = (int)ceilf((area.x + area.w - row->origin) / row->pitch - 1e-3F) - 1;
    if (row->last >= row->count) row->last = row->count - 1;
}

static float widest_name(const FocusLines *lines, const TokenRow *row) {
    float widest = 0;
    char name[NAME_BYTES];
    int step = (row->last - row->first) / LABELS_MEASURED + 1;
    for (int index = row->first; index <= row->last; index += step) {
        shorten_show_spaces(row->names[index], name, sizeof name);
        widest = fmaxf(widest, canvas_text_width(lines->paint->canvas, name, FONT_TEXT, false));
    }
    return fminf(widest, LABEL_WIDTH_MAX) + LABEL_SPACE;
}

static void draw_name(const FocusLines *lines, const TokenRow *row, int index, float width) {
    const Theme *theme = lines->paint->theme;
    bool faint = index >= row->seen || index >= row->present,
         emphasised = is_emphasised(row, index);
    Rect box = {token_x(row, index) - width / 2, row->area.y, width, row->area.h};
    /* Labels at the edge move inwards to stay visible. */
    float left = row->area.x - MARGIN, right = row->area.x + row->area.w + MARGIN;
    box.x = fmaxf(fminf(box.x, right - width), left);
    paint_token(lines->paint, box, row->names[index],
                (PaintText){.align = ALIGN_MIDDLE,
                            .bold = emphasised,
                            .color = emphasised ? theme->accent
                                     : faint    ? theme->hatch_line
                                                : theme->text});
}

static int in_sight(const TokenRow *row, int index) {
    return index >= row->first && index <= row->last ? index : -1;
}

/* Highlighted names are drawn last, on top of their neighbours. */
static void draw_names(const FocusLines *lines, const TokenRow *row) {
    float room = widest_name(lines, row), width = fmaxf(room, row->pitch);
    int step = 1;
    if (row->pitch < room && row->pitch >= LABEL_WIDTH_MIN) width = row->pitch - LABEL_SPACE / 2;
    if (row->pitch < LABEL_WIDTH_MIN) step = axis_step(row->pitch, room);
    AxisMarks marks = axis_marks(step, (int[]){in_sight(row, row->lit), in_sight(row, row->pinned)},
                                 2, row->count);
    for (int index = row->first; index <= row->last; index++)
        if (axis_shows(step, &marks, index) && !is_emphasised(row, index))
            draw_name(lines, row, index, width);
    for (int mark = 0; mark < marks.count; mark++)
        draw_name(lines, row, marks.at[mark], width);
}

/* Draws a tick for each token if some names are left out. */
static void draw_marks(const FocusLines *lines, const TokenRow *row, float y) {
    if (row->pitch >= LABEL_WIDTH_MIN || row->pitch < 3) return;
    for (int index = row->first; index <= row->last; index++) {
        float x = token_x(row, index);
        if (x < row->area.x || x >= row->area.x + row->area.w) continue;
        canvas_fill(lines->paint->canvas, (Rect){roundf(x), y, 1, STRIP_HEIGHT},
                    lines->paint->theme->line);
    }
}

/* The strip between names and lines: hatched where the tokens are masked. */
static void draw_strip(const FocusLines *lines, const TokenRow *row, float y) {
    draw_marks(lines, row, y);
    if (row->seen >= row->count) return;
    const Theme *theme = lines->paint->theme;
    float left = fmaxf(row->origin + (float)row->seen * row->pitch, row->area.x);
    float right = fminf(row->origin + (float)row->count * row->pitch, row->area.x + row->area.w);
    if (right <= left) return;
    canvas_hatch(lines->paint->canvas, (Rect){left, y, right - left, STRIP_HEIGHT},
                 theme->hatch_ground, theme->hatch_line);
}

static void add_row_hit(const FocusLines *lines, const TokenRow *row, HitKind kind) {
    if (row->last < row->first) return;
    const ScreenMap *map = lines->map;
    float start = row->origin + (float)row->first * row->pitch;
    float left = fmaxf(start, row->area.x);
    Hit hit = {.kind = kind,
               .area = {left, row->area.y, row->area.x + row->area.w - left, row->area.h},
               .id = map->id,
               .example = map->example,
               .column_width = row->pitch,
               .shift_x = left - start,
               .turned = kind == HIT_ROWS,
               .rows = map->rows,
               .columns = map->columns};
    if (kind == HIT_ROWS)
        hit.first_row = row->first;
    else
        hit.first_column = row->first;
    hits_add(lines->paint->hits, hit);
}

/* --- the lines -------------------------------------------------------------------------------- */

/* True if some part of the line is visible. */
static bool is_in_sight(const FocusLines *lines, int query, int key) {
    bool before = query < lines->queries.first && key < lines->keys.first;
    bool after = query > lines->queries.last && key > lines->keys.last;
    return !before && !after;
}

/* Returns the threshold, or a higher weight if the threshold leaves more than LINES_MAX lines. */
static float smallest_weight(const FocusLines *lines, float threshold) {
    int counts[WEIGHT_BINS] = {0};
    for (int query = 0; query < lines->queries.present; query++)
        for (int key = 0; key < lines->keys.present; key++) {
            float weight = weight_at(lines, query, key);
            if (weight == 0 || fabsf(weight) < threshold || !is_in_sight(lines, query, key))
                continue;
            counts[(int)(share_of(lines, weight) * (WEIGHT_BINS - 1))]++;
        }
    int bin = WEIGHT_BINS - 1, total = counts[bin];
    while (bin > 0 && total + counts[bin - 1] <= LINES_MAX)
        total += counts[--bin];
    float min_weight = lines->top * (float)bin / (WEIGHT_BINS - 1);
    return bin > 0 && min_weight > threshold ? min_weight : threshold;
}

static bool is_looked_at(const FocusLines *lines, int query, int key) {
    return is_emphasised(&lines->queries, query) || is_emphasised(&lines->keys, key);
}

static bool anything_looked_at(const FocusLines *lines) {
    const TokenRow *rows[] = {&lines->keys, &lines->queries};
    for (int which = 0; which < 2; which++)
        if (rows[which]->lit >= 0 || rows[which]->pinned >= 0) return true;
    return false;
}

static void draw_line(const FocusLines *lines, int query, int key, float weight, float opacity) {
    const Theme *theme = lines->paint->theme;
    float share = share_of(lines, weight), crowd = fminf(lines->keys.pitch, lines->queries.pitch);
    float thickest = fmaxf(fminf(LINE_WIDTH_MAX, crowd * 0.6F), LINE_WIDTH_MIN);
    bool second = weight < 0 || (lines->map->second && !lines->map->first && !lines->map->minus);
    Color color = second ? theme->accent_second : theme->accent;
    color.a = (uint8_t)lroundf(255 * opacity * (0.14F + 0.86F * share));
    Rect between = lines->between;
    canvas_line(lines->paint->canvas, token_x(&lines->queries, query), between.y + between.h,
                token_x(&lines->keys, key), between.y,
                LINE_WIDTH_MIN + share * (thickest - LINE_WIDTH_MIN), color);
}

/* Draws the highlighted lines, or all others. */
static void draw_all(const FocusLines *lines, bool looked_at, float opacity) {
    for (int query = 0; query < lines->queries.present; query++)
        for (int key = 0; key < lines->keys.present; key++) {
            float weight = weight_at(lines, query, key);
            if (weight == 0 || fabsf(weight) < lines->min_weight) continue;
            if (is_looked_at(lines, query, key) != looked_at) continue;
            if (is_in_sight(lines, query, key)) draw_line(lines, query, key, weight, opacity);
        }
}

/* --- the whole -------------------------------------------------------------------------------- */

/* The number of keys seen by the highlighted queries or, if there are none, by any query. */
static int keys_seen(const FocusLines *lines) {
    const TokenRow *queries = &lines->queries;
    int seen = 0, chosen = -1;
    for (int query = 0; query < queries->present; query++) {
        int length = trace_key_len(lines->map->trace, lines->map->id, query);
        if (length > seen) seen = length;
        if (is_emphasised(queries, query) && length > chosen) chosen = length;
    }
    if (queries->present == 0) return lines->keys.count;
    seen = chosen >= 0 ? chosen : seen;
    /* Keys that are not in the trace do not count as masked. */
    return seen >= lines->keys.present ? lines->keys.count : seen;
}

static TokenRow row_make(const char *const *names, int count, int present, int lit, int pinned) {
    return (TokenRow){.names = names,
                      .count = count,
                      .present = int_min(present, count),
                      .lit = lit < count ? lit : -1,
                      .pinned = pinned < count ? pinned : -1,
                      .seen = count};
}

static void place(FocusLines *lines, Rect area, const ScreenFocus *focus) {
    int tokens = int_max(lines->map->rows, lines->map->columns);
    float width = fminf(area.w - 2 * MARGIN, PITCH_MAX * (float)tokens);
    Rect plot = {area.x + (area.w - width) / 2, area.y, width, area.h};
    float zoom = float_clamp(focus->zoom, 1, SCREEN_ZOOM);
    float left = float_clamp(focus->left, 0, 1 - 1 / zoom);
    place_row(&lines->keys, paint_cut_top(&plot, ROW_HEIGHT), zoom, left);
    place_row(&lines->queries, paint_cut_bottom(&plot, ROW_HEIGHT), zoom, left);
    paint_cut_top(&plot, STRIP_HEIGHT + 1);
    paint_cut_bottom(&plot, STRIP_HEIGHT + 1);
    lines->between = plot;
}

static void add_focus_hit(Paint *paint, Rect area, const ScreenMap *map) {
    hits_add(paint->hits, (Hit){.kind = HIT_FOCUS,
                                .area = area,
                                .id = map->id,
                                .example = map->example,
                                .rows = map->rows,
                                .columns = map->columns});
}

/* Draws the map as lines; returns the smallest weight that has a line. */
static float draw_focus_lines(Paint *paint, Rect area) {
    const ScreenFocus *focus = &paint->screen->focus;
    const ScreenMap *map = &focus->map;
    bool room = area.w > 2 * MARGIN && area.h > 2 * (ROW_HEIGHT + STRIP_HEIGHT + 1);
    if (!room || !map->trace || !map->axes || map->rows <= 0 || map->columns <= 0)
        return focus->threshold;
    TraceShape shape = trace_shape(map->trace, map->id.site);
    if (map->id.layer >= shape.layers || map->id.head >= shape.heads) shape = (TraceShape){0};
    FocusLines lines = {.paint = paint, .map = map, .top = paint->screen->top};
    if (!(lines.top > 0)) lines.top = 1;
    lines.keys =
        row_make(map->axes->columns, map->columns, shape.keys, map->lit_column, map->pinned_column);
    lines.queries =
        row_make(map->axes->rows, map->rows, shape.queries, map->lit_row, map->pinned_row);
    lines.keys.seen = keys_seen(&lines);
    place(&lines, area, focus);
    lines.min_weight = smallest_weight(&lines, focus->threshold);

    /* The whole area zooms; over the plot, the position is relative to the axis. */
    add_focus_hit(paint, area, map);
    add_focus_hit(paint, (Rect){lines.keys.area.x, area.y, lines.keys.area.w, area.h}, map);
    /* The round ends of lines reach into the strips. */
    Rect clip = {lines.between.x - LINE_WIDTH_MAX, lines.between.y - LINE_WIDTH_MAX / 2,
                 lines.between.w + LINE_WIDTH_MAX * 2, lines.between.h + LINE_WIDTH_MAX};
    canvas_clip_push(paint->canvas, clip);
    bool some = anything_looked_at(&lines);
    draw_all(&lines, false, some ? FAINT : 1);
    if (some) draw_all(&lines, true, 1);
    canvas_clip_pop(paint->canvas);
    draw_strip(&lines, &lines.keys, lines.between.y - STRIP_HEIGHT);
    draw_strip(&lines, &lines.queries, lines.between.y + lines.between.h);
    canvas_clip_push(paint->canvas, area);
    draw_names(&lines, &lines.keys);
    draw_names(&lines, &lines.queries);
    canvas_clip_pop(paint->canvas);
    add_row_hit(&lines, &lines.keys, HIT_COLUMNS);
    add_row_hit(&lines, &lines.queries, HIT_ROWS);
    return lines.min_weight;
}

/* --- the view -------------------------------------------------------------------------------- */

/* Writes "threshold 0.05" or, if only the heaviest lines are drawn, the smallest weight drawn. */
static void format_threshold(char *text, size_t size, float threshold, float min_weight) {
    if (min_weight > threshold)
        snprintf(text, size, "heaviest, from %.3f", (double)min_weight);
    else
        snprintf(text, size, "threshold %.2f", (double)threshold);
}

/* Draws the slider and its value at the right end of the title line. Returns the rest of the line.
 */
static Rect draw_threshold(Paint *paint, Rect line, float min_weight) {
    const ScreenFocus *focus = &paint->screen->focus;
    char text[48];
    format_threshold(text, sizeof text, focus->threshold, min_weight);
    PaintText value = {
        .size = FONT_TOKEN, .color = paint->theme->muted, .align = ALIGN_END, .passing = true};
    float label = ceilf(paint_width(paint, text, value)) + 1;
    float room = line.w - TITLE_MIN - label - 3 * PAINT_PAD;
    if (room >= SLIDER_MIN) {
        Rect slider = paint_cut_right(&line, fminf(room, SLIDER_MAX));
        paint_slider(paint, slider, focus->threshold, SLIDER_THRESHOLD,
                     "weights below this have no line");
        paint_cut_right(&line, PAINT_PAD);
    }
    if (line.w < label + TITLE_MIN) return line;
    paint_text(paint, paint_cut_right(&line, label), text, value);
    paint_cut_right(&line, PAINT_PAD);
    return line;
}

static void draw_title(Paint *paint, Rect line, float min_weight) {
    const ScreenFocus *focus = &paint->screen->focus;
    line = paint_buttons_right(paint, line, focus->buttons, focus->button_count);
    if (focus->button_count > 0) paint_cut_right(&line, PAINT_PAD);
    if (focus->lines) line = draw_threshold(paint, line, min_weight);
    if (!focus->title) return;
    Color color = focus->map.struck ? paint->theme->struck : paint->theme->text;
    paint_text(paint, line, focus->title,
               (PaintText){.size = FONT_HEADING, .bold = true, .color = color});
}

void draw_focus(Paint *paint, Rect area) {
    const ScreenFocus *focus = &paint->screen->focus;
    if (paint_is_empty(area)) return;
    canvas_clip_push(paint->canvas, area);
    bool low;
    Rect title, inside = paint_titled_card(paint, area, TITLE_HEIGHT, &title, &low);
    hits_add(
        paint->hits,
        (Hit){.kind = HIT_MAP, .area = area, .id = focus->map.id, .example = focus->map.example});
    if (!paint_is_empty(inside)) {
        float min_weight = focus->threshold;
        if (focus->lines)
            min_weight = draw_focus_lines(paint, inside);
        else if (focus->map.trace && focus->map.axes)
            draw_map(paint, inside, &focus->map,
                     (MapStyle){.labels = true,
                                .numbers = true,
                                .tiny = true,
                                .zoom = focus->zoom,
                                .left = focus->left,
                                .top = focus->top,
                                .focus = true});
        draw_title(paint, title, min_weight);
    }
    canvas_clip_pop(paint->canvas);
}
