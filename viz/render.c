#include "viz/render.h"

#include "viz/draw_sheet.h"

#include <math.h>

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

/* So many rows that a part of the picture stays in the cache. */
static int part_rows(const Layout *layout, float scale) {
    enum { PART_BYTES = 1 << 22 };
    float width = ceilf(layout->width * scale);
    return (int)fmaxf(PART_BYTES / (3 * fmaxf(width, 1)), 1);
}

/* Where the part from `top` on had best end, `most` rows on at most: between two rows of panels,
 * since one that is cut is gone through twice. */
static int part_end(const Layout *layout, float scale, int top, int most) {
    const float space = 4; /* for letters that stand out of a panel */
    int end = 0;
    if (layout->height * scale <= (float)(top + most)) return top + most;
    for (int panel = 0; panel < layout->panel_count; panel++) {
        int start = (int)((layout->panels[panel].frame.y - space) * scale);
        if (start > top && start <= top + most && start > end) end = start;
    }
    return end ? end : top + most;
}

/* Draws part after part, each into the PNG as soon as it is there. */
static bool draw_parts(Raster *raster, const Scene *scene, const Layout *layout, PicturePng *png,
                       Error *error) {
    const Surface *surface = raster_surface(raster);
    float scale = scene_scale(scene);
    int top = 0, end = part_end(layout, scale, 0, part_rows(layout, scale));
    bool good = picture_png_begin(png, surface->width, raster_height(raster), error);
    while (good && raster_seek(raster, top, end - top)) {
        viz_draw(raster_canvas(raster), scene, layout);
        good = canvas_ok(raster_canvas(raster), error);
        if (good) picture_png_add(png, surface);
        top += surface->height;
        end = part_end(layout, scale, top, part_rows(layout, scale));
    }
    return good;
}

bool viz_render_png(TextRenderer *text, const Scene *scene, const PictureText *texts,
                    int text_count, unsigned char **bytes, size_t *size, Error *error) {
    Layout *layout = viz_layout(text, scene, error);
    if (!layout) return false;
    Raster *raster = raster_make_part(layout->width, layout->height, scene_scale(scene),
                                      part_rows(layout, scene_scale(scene)), text, error);
    PicturePng png = {0};
    bool encoded = raster && draw_parts(raster, scene, layout, &png, error) &&
                   picture_png_end(&png, texts, text_count, bytes, size, error);
    picture_png_free(&png);
    raster_free(raster);
    layout_free(layout);
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
