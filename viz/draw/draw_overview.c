#include "model/base/minmax.h"
#include "viz/draw/draw_cells.h"
#include "viz/draw/views.h"
#include "viz/layout/axis_plan.h"

#include <math.h>
#include <stdio.h>

#define THUMB_MAX    88.0F
#define THUMB_MIN    2.0F
#define SITE_TITLE   20.0F
#define SITE_GAP     10.0F
#define NUMBERS      20.0F /* the width of layer numbers, the height of head numbers */
#define NUMBER_LINE  14.0F /* the smallest pitch of numbers */
#define SCALE_HEIGHT 28.0F

static const char *const site_titles[SITE_COUNT] = {"encoder", "decoder", "cross"};

/* One size of thumbnails for all sites. */
typedef struct Sizes {
    float pitch, thumb; /* of the grid; the side of a thumbnail */
    bool titles, numbers, scale;
} Sizes;

/* The number of heads in a layer of the site that has the most; at least 1. */
static int max_heads(const Trace *trace) {
    int heads = 1;
    for (int site = 0; site < SITE_COUNT; site++) {
        TraceShape shape = trace_shape(trace, (Site)site);
        if (shape.layers > 0) heads = int_max(shape.heads, heads);
    }
    return heads;
}

static float thumb_pitch(const Trace *trace, Rect area, Sizes sizes) {
    int layers = 0, sites = 0;
    for (int site = 0; site < SITE_COUNT; site++) {
        TraceShape shape = trace_shape(trace, (Site)site);
        if (shape.layers < 1 || shape.heads < 1) continue;
        layers += shape.layers;
        sites++;
    }
    float height = area.h - (sizes.scale ? SCALE_HEIGHT + SITE_GAP : 0);
    height -= sizes.numbers ? NUMBERS : 0;
    height -= (float)sites * ((sizes.titles ? SITE_TITLE : 0) + SITE_GAP) - SITE_GAP;
    float width = area.w - (sizes.numbers ? NUMBERS : 0);
    if (layers < 1) return 0;
    return fminf(fminf(width / (float)max_heads(trace), height / (float)layers), THUMB_MAX);
}

/* Leaves out scale, numbers and titles, in that order, if thumbnails would become too small. */
static Sizes choose_sizes(const Trace *trace, Rect area) {
    static const Sizes choices[] = {{.titles = true, .numbers = true, .scale = true},
                                    {.titles = true, .numbers = true},
                                    {.titles = true},
                                    {.titles = false}};
    static const float enough[] = {8, 7, 6, 0};
    for (int index = 0;; index++) {
        Sizes sizes = choices[index];
        sizes.pitch = thumb_pitch(trace, area, sizes);
        if (sizes.pitch < enough[index]) continue;
        if (sizes.pitch >= 6) sizes.pitch = floorf(sizes.pitch);
        sizes.thumb = sizes.pitch - (sizes.pitch >= 16 ? 3 : sizes.pitch >= 6 ? 2 : 0.5F);
        return sizes;
    }
}

/* Draws the cross of a NaN cell once for the whole map, as its cells may be too small. */
static void draw_nan_mark(Paint *paint, Rect written) {
    float size = fminf(fminf(written.w, written.h), 16);
    Rect cell = {written.x + (written.w - size) / 2, written.y + (written.h - size) / 2, size,
                 size};
    draw_cell_state(paint->canvas, paint->theme, cell, CELL_NAN);
}

static void frame_around(Paint *paint, Rect thumb, float away, float width, Color color) {
    canvas_round_frame(paint->canvas, paint_inset(thumb, -away), 3, width, color);
}

static void draw_marks(Paint *paint, Rect thumb, HeadId id) {
    const ScreenOverview *overview = &paint->screen->overview;
    const Theme *theme = paint->theme;
    float width = thumb.w >= 12 ? 2 : 1;
    if (overview->has_lit && head_id_same(overview->lit, id))
        frame_around(paint, thumb, 1, 1, theme->text);
    if (overview->has_second && head_id_same(overview->second, id))
        frame_around(paint, thumb, width, width, theme->accent_second);
    if (head_id_same(overview->first, id)) frame_around(paint, thumb, width, width, theme->accent);
}

static void draw_thumb(Paint *paint, Rect thumb, HeadId id) {
    const ScreenOverview *overview = &paint->screen->overview;
    TraceShape shape = trace_shape(overview->trace, id.site);
    int rows = overview->rows[id.site], columns = overview->columns[id.site];
    if (rows < shape.queries) rows = shape.queries;
    if (columns < shape.keys) columns = shape.keys;
    if (shape.queries > 0 && shape.keys > 0) {
        CellSource source = {.trace = overview->trace, .id = id};
        CellGrid grid = {.x = thumb.x,
                         .y = thumb.y,
                         .width = thumb.w / (float)columns,
                         .height = thumb.h / (float)rows,
                         .rows = shape.queries,
                         .columns = shape.keys};
        Rect written = {thumb.x, thumb.y, grid.width * (float)shape.keys,
                        grid.height * (float)shape.queries};
        canvas_fill(paint->canvas, thumb, paint->theme->surface);
        canvas_fill(paint->canvas, written, paint->theme->hatch_ground);
        float top = paint->screen->top;
        CellScale scale = {.top = top > 0 ? top : 1, .colormap = paint->screen->colormap};
        draw_cell_values(paint->canvas, paint->theme, &source, &grid, &scale);
        if (trace_shows(overview->trace, id, CELL_NAN)) draw_nan_mark(paint, written);
    }
    const bool *struck = overview->struck[id.site];
    if (struck && struck[id.layer * shape.heads + id.head])
        paint_struck(paint, thumb, 0x90, thumb.w >= 16 ? 2 : 1, 1);
    draw_marks(paint, thumb, id);
}

static void draw_number(Paint *paint, Rect area, int number, TextAlign align, bool current) {
    char text[12];
    snprintf(text, sizeof text, "%d", number);
    paint_text(paint, area, text,
               (PaintText){.size = FONT_TOKEN - 1,
                           .align = align,
                           .color = current ? paint->theme->text : paint->theme->muted,
                           .passing = true});
}

static void draw_layer(Paint *paint, Rect row, const Sizes *sizes, Site site, int layer) {
    const ScreenOverview *overview = &paint->screen->overview;
    TraceShape shape = trace_shape(overview->trace, site);
    bool current = overview->site == site && overview->layer == layer;
    float left = row.x + (sizes->numbers ? NUMBERS : 0);
    float inset = floorf((sizes->pitch - sizes->thumb) / 2);
    if (current)
        canvas_round_fill(
            paint->canvas,
            (Rect){row.x, row.y, left - row.x + (float)shape.heads * sizes->pitch, row.h}, 3,
            paint->theme->accent_wash);
    if (sizes->numbers && (current || layer % axis_step(sizes->pitch, NUMBER_LINE) == 0)) {
        Rect number = {row.x, row.y + row.h / 2 - 7, NUMBERS - 6, 14};
        draw_number(paint, number, layer, ALIGN_END, current);
    }
    for (int head = 0; head < shape.heads; head++) {
        HeadId id = {site, layer, head};
        Rect cell = {left + (float)head * sizes->pitch, row.y, sizes->pitch, sizes->pitch};
        draw_thumb(paint, (Rect){cell.x + inset, cell.y + inset, sizes->thumb, sizes->thumb}, id);
        hits_add(paint->hits, (Hit){.area = cell, .kind = HIT_THUMBNAIL, .id = id});
    }
}

static void draw_head_numbers(Paint *paint, Rect row, const Sizes *sizes, int heads) {
    const ScreenOverview *overview = &paint->screen->overview;
    int step = axis_step(sizes->pitch, NUMBER_LINE);
    for (int head = 0; head < heads; head += step) {
        Rect area = {row.x + NUMBERS + (float)head * sizes->pitch, row.y, sizes->pitch, row.h};
        if (area.w < 14) area = (Rect){area.x + area.w / 2 - 7, area.y, 14, area.h};
        draw_number(paint, area, head, ALIGN_MIDDLE, overview->first.head == head);
    }
}

float overview_widest(const Paint *paint) {
    return NUMBERS + (float)max_heads(paint->screen->overview.trace) * THUMB_MAX;
}

void draw_overview(Paint *paint, Rect area) {
    const ScreenOverview *overview = &paint->screen->overview;
    if (!overview->trace || paint_is_empty(area)) return;
    Sizes sizes = choose_sizes(overview->trace, area);
    if (!(sizes.pitch >= THUMB_MIN)) return;
    if (sizes.numbers)
        draw_head_numbers(paint, paint_cut_top(&area, NUMBERS), &sizes, max_heads(overview->trace));
    float widest = 0;
    for (int site = 0; site < SITE_COUNT; site++) {
        TraceShape shape = trace_shape(overview->trace, (Site)site);
        if (shape.layers < 1 || shape.heads < 1) continue;
        widest = fmaxf(widest, (float)shape.heads * sizes.pitch);
        if (sizes.titles)
            paint_text(paint, paint_cut_top(&area, SITE_TITLE), site_titles[site],
                       (PaintText){.bold = true,
                                   .color = overview->site == (Site)site ? paint->theme->accent
                                                                         : paint->theme->text});
        for (int layer = 0; layer < shape.layers; layer++)
            draw_layer(paint, paint_cut_top(&area, sizes.pitch), &sizes, (Site)site, layer);
        paint_cut_top(&area, SITE_GAP);
    }
    if (!sizes.scale || area.h < SCALE_HEIGHT) return;
    Rect scale = paint_cut_top(&area, SCALE_HEIGHT);
    paint_cut_left(&scale, NUMBERS);
    scale.w = fminf(scale.w, fmaxf(widest, 160));
    bool roomy = scale.w > 190;
    draw_scale(paint, scale, paint->screen->top, false, roomy ? "weight, same for all" : "weight");
}
