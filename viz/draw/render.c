#include "viz/draw/render.h"

#include "viz/draw/draw_cells.h"

enum { BAR_STEPS = 160 };

static void draw_text(Canvas *canvas, const Theme *theme, const LayoutText *text) {
    TextStyle style = {.size = text->size,
                       .bold = text->bold,
                       .upward = text->upward,
                       .align = text->align,
                       .color = text->muted ? theme->muted : theme->text};
    canvas_text(canvas, text->x, text->baseline, text->text, &style);
}

static void draw_panel_cells(Canvas *canvas, const Scene *scene, const LayoutPanel *panel) {
    TraceShape shape = trace_shape(scene->trace, panel->id.site);
    CellSource source = {.trace = scene->trace, .id = panel->id};
    CellGrid grid = {.x = panel->cells.x,
                     .y = panel->cells.y,
                     .width = panel->cell_width,
                     .height = panel->cell_height,
                     .rows = shape.queries,
                     .columns = shape.keys};
    CellScale scale = {.top = scene_top(scene), .colormap = scene->colormap};
    draw_cells(canvas, theme_get(scene->theme), &source, &grid, &scale);
}

static void draw_panel(Canvas *canvas, const Scene *scene, const Layout *layout, int index) {
    const LayoutPanel *panel = &layout->panels[index];
    const Theme *theme = theme_get(scene->theme);
    TraceShape shape = trace_shape(scene->trace, panel->id.site);
    LayoutText label;
    draw_text(canvas, theme, &panel->name);
    for (int row = 0; row < shape.queries; row++)
        if (layout_row_label(layout, index, row, &label)) draw_text(canvas, theme, &label);
    for (int column = 0; column < shape.keys; column++)
        if (layout_column_label(layout, index, column, &label)) draw_text(canvas, theme, &label);
    draw_panel_cells(canvas, scene, panel);
    Rect cells = panel->cells;
    canvas_frame(canvas, (Rect){cells.x - 1, cells.y - 1, cells.w + 1, cells.h + 1}, 1,
                 theme->line);
}

/* --- the colour scale --------------------------------------------------------------------------
 */

static void draw_bar(Canvas *canvas, const Scene *scene, const Layout *layout) {
    const Theme *theme = theme_get(scene->theme);
    CellScale scale = {.colormap = scene->colormap};
    draw_ramp(canvas, theme, layout->bar, &scale, BAR_STEPS);
    for (int index = 0; index < layout->tick_count; index++) {
        const LayoutTick *tick = &layout->ticks[index];
        float x = tick->text.align == ALIGN_END ? tick->x - 1 : tick->x;
        canvas_fill(canvas, (Rect){x, layout->bar.y + layout->bar.h, 1, 4}, theme->line);
        draw_text(canvas, theme, &tick->text);
    }
    draw_text(canvas, theme, &layout->bar_caption);
}

static void draw_colorbar(Canvas *canvas, const Scene *scene, const Layout *layout) {
    const Theme *theme = theme_get(scene->theme);
    draw_bar(canvas, scene, layout);
    for (int index = 0; index < layout->legend_count; index++) {
        const LayoutLegend *legend = &layout->legends[index];
        draw_cell_state(canvas, theme, legend->swatch, legend->state);
        canvas_frame(canvas, legend->swatch, 1, theme->line);
        draw_text(canvas, theme, &legend->text);
    }
}

void viz_draw(Canvas *canvas, const Scene *scene, const Layout *layout) {
    const Theme *theme = theme_get(scene->theme);
    canvas_fill(canvas, (Rect){0, 0, layout->width, layout->height}, theme->ground);
    for (int index = 0; index < layout->text_count; index++)
        draw_text(canvas, theme, &layout->texts[index]);
    draw_colorbar(canvas, scene, layout);
    for (int panel = 0; panel < layout->panel_count; panel++)
        draw_panel(canvas, scene, layout, panel);
}

/* --- pictures --------------------------------------------------------------------------------- */

/* The context of text measuring, and its first error. */
typedef struct Measuring {
    TextRenderer *text;
    float scale;
    bool failed;
    Error error;
} Measuring;

static float measure(void *context, const char *text, float size, bool bold) {
    Measuring *measuring = context;
    Error error = {0};
    float width = raster_text_width(measuring->text, measuring->scale, text, size, bold, &error);
    if (error.text[0] && !measuring->failed) {
        measuring->failed = true;
        measuring->error = error;
    }
    return width;
}

Layout *viz_layout(TextRenderer *text, const Scene *scene, Error *error) {
    if (!scene_check(scene, error)) return NULL;
    Measuring measuring = {.text = text, .scale = scene_scale(scene)};
    Layout *layout = layout_make(scene, (TextMeasure){measure, &measuring}, error);
    if (!layout || !measuring.failed) return layout;
    layout_free(layout);
    if (error) *error = measuring.error;
    return NULL;
}

Raster *viz_render(TextRenderer *text, const Scene *scene, Error *error) {
    Layout *layout = viz_layout(text, scene, error);
    if (!layout) return NULL;
    Raster *raster = raster_make(layout->width, layout->height, scene_scale(scene), text, error);
    if (raster) {
        viz_draw(raster_canvas(raster), scene, layout);
        if (!canvas_ok(raster_canvas(raster), error)) {
            raster_free(raster);
            raster = NULL;
        }
    }
    layout_free(layout);
    return raster;
}

bool viz_render_png(TextRenderer *text, const Scene *scene, const PictureText *texts,
                    int text_count, unsigned char **bytes, size_t *size, Error *error) {
    Raster *raster = viz_render(text, scene, error);
    bool encoded =
        raster && picture_png_encode(raster_surface(raster), texts, text_count, bytes, size, error);
    raster_free(raster);
    return encoded;
}

bool viz_render_svg(TextRenderer *text, const Scene *scene, const Layout *layout,
                    const SvgPage *page, FILE *stream, Error *error) {
    SvgPage whole = *page;
    whole.width = layout->width;
    whole.height = layout->height;
    Svg *svg = svg_make(stream, &whole, text, error);
    if (!svg) return false;
    viz_draw(svg_canvas(svg), scene, layout);
    bool ended = svg_end(svg, error);
    svg_free(svg);
    return ended;
}
