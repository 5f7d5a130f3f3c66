#include "viz/draw/render.h"

#include "viz/draw/draw_sheet.h"
#include "viz/layout/layout_make.h"

/* What measuring needs to know, and the first error it met. */
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
