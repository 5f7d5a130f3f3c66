#include "viz/canvas/raster.h"

#include "model/base/large_memory.h"
#include "viz/canvas/pixels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CLIPS_MAX = 16, SIDE_MAX = 32767, PIXELS_MAX = 1 << 27 };

/* The hatch, in logical pixels along a row. */
#define HATCH_PERIOD 5
#define HATCH_WIDTH  1

struct Raster {
    Canvas canvas;   /* first member: raster_of casts a Canvas to its Raster */
    Surface surface; /* its bytes only grow */
    size_t size;     /* of them */
    PixelRect clip;  /* within the surface */
    TextRenderer *text;
    float scale;
    PixelRect clips[CLIPS_MAX];
    int clip_count;
};

static Raster *raster_of(Canvas *canvas) {
    return (Raster *)canvas;
}

static int device(const Raster *raster, float logical) {
    return (int)lroundf(logical * raster->scale);
}

/* Edges are rounded, not widths, so that rectangles which meet still meet. */
static PixelRect device_rect(const Raster *raster, Rect rect) {
    int x = device(raster, rect.x), y = device(raster, rect.y);
    return (PixelRect){x, y, device(raster, rect.x + rect.w) - x,
                       device(raster, rect.y + rect.h) - y};
}

static Pixels pixels_of(const Raster *raster) {
    return (Pixels){raster->surface.bytes, raster->surface.pitch, raster->clip};
}

static void raster_fill(Canvas *canvas, Rect rect, Color color) {
    Pixels pixels = pixels_of(raster_of(canvas));
    pixels_fill(&pixels, device_rect(raster_of(canvas), rect), color);
}

static void raster_round_fill(Canvas *canvas, Rect rect, float radius, Color color) {
    Raster *raster = raster_of(canvas);
    Pixels pixels = pixels_of(raster);
    pixels_round(&pixels, device_rect(raster, rect), radius * raster->scale, 0, color);
}

/* A width in device pixels, at least 1. */
static int device_width(const Raster *raster, float logical) {
    return device(raster, logical) > 1 ? device(raster, logical) : 1;
}

static void raster_round_frame(Canvas *canvas, Rect rect, float radius, float width, Color color) {
    Raster *raster = raster_of(canvas);
    Pixels pixels = pixels_of(raster);
    pixels_round(&pixels, device_rect(raster, rect), radius * raster->scale,
                 device_width(raster, width), color);
}

static void raster_line(Canvas *canvas, float x0, float y0, float x1, float y1, float width,
                        Color color) {
    Pixels pixels = pixels_of(raster_of(canvas));
    float scale = raster_of(canvas)->scale;
    pixels_line(&pixels, x0 * scale, y0 * scale, x1 * scale, y1 * scale, width * scale, color);
}

static void raster_hatch(Canvas *canvas, Rect rect, Color ground, Color line) {
    Raster *raster = raster_of(canvas);
    Pixels pixels = pixels_of(raster);
    int period = device(raster, HATCH_PERIOD) > 2 ? device(raster, HATCH_PERIOD) : 2;
    pixels_hatch(&pixels, device_rect(raster, rect), ground, line, period,
                 device_width(raster, HATCH_WIDTH));
}

static void raster_cells(Canvas *canvas, const CellMap *map) {
    Pixels pixels = pixels_of(raster_of(canvas));
    Error error;
    if (!pixels_cells(&pixels, map, raster_of(canvas)->scale, &error)) canvas_fail(canvas, &error);
}

static int font_pixels(float size, float scale) {
    int pixels = (int)lroundf(size * scale);
    return pixels > 1 ? pixels : 1;
}

float raster_text_width(TextRenderer *text, float scale, const char *string, float size, bool bold,
                        Error *error) {
    const TextImage *image = text_image(text, string, font_pixels(size, scale), bold, error);
    return image ? (float)image->width / scale : 0;
}

static float raster_width(Canvas *canvas, const char *text, float size, bool bold) {
    Raster *raster = raster_of(canvas);
    Error error = {0};
    float width = raster_text_width(raster->text, raster->scale, text, size, bold, &error);
    if (error.text[0]) canvas_fail(canvas, &error);
    return width;
}

/* Blends coverage into the surface with its upper left corner at (left,top); `upward` turns it by
 * 90 degrees to the left. */
static void blend_image(const Pixels *pixels, const TextImage *image, int left, int top,
                        bool upward, Color color) {
    PixelRect box = {left, top, upward ? image->height : image->width,
                     upward ? image->width : image->height};
    PixelRect seen;
    if (!pixels_seen(pixels, &box, &seen)) return;
    /* the step in coverage to the next pixel on the right: a column, or a row if turned */
    ptrdiff_t next = upward ? image->width : 1;
    for (int y = seen.y; y < seen.y + seen.h; y++) {
        uint8_t *pixel = pixels_at(pixels, seen.x, y);
        ptrdiff_t start = upward ? image->width - 1 - (y - top) : (y - top) * image->width;
        const unsigned char *coverage = image->coverage + start + (seen.x - left) * next;
        for (int x = 0; x < seen.w; x++, pixel += 3, coverage += next)
            if (*coverage) pixels_blend(pixel, color, *coverage);
    }
}

static void raster_text(Canvas *canvas, float x, float y, const char *text,
                        const TextStyle *style) {
    Raster *raster = raster_of(canvas);
    Error error = {0};
    const TextImage *image = text_image(raster->text, text, font_pixels(style->size, raster->scale),
                                        style->bold, &error);
    if (!image) {
        canvas_fail(canvas, &error);
        return;
    }
    int before = style->align == ALIGN_START    ? 0
                 : style->align == ALIGN_MIDDLE ? image->width / 2
                                                : image->width;
    int left = device(raster, x), top = device(raster, y);
    Pixels pixels = pixels_of(raster);
    if (style->upward)
        blend_image(&pixels, image, left - image->ascent, top + before - image->width, true,
                    style->color);
    else
        blend_image(&pixels, image, left - before, top - image->ascent, false, style->color);
}

static void raster_clip_push(Canvas *canvas, Rect rect) {
    Raster *raster = raster_of(canvas);
    if (raster->clip_count == CLIPS_MAX) {
        Error error;
        error_set(&error, "clips are nested more than %d deep", CLIPS_MAX);
        canvas_fail(canvas, &error);
        return;
    }
    PixelRect before = raster->clip, now = device_rect(raster, rect);
    raster->clips[raster->clip_count++] = before;
    pixels_intersect(&before, &now, &raster->clip);
}

static void raster_clip_pop(Canvas *canvas) {
    Raster *raster = raster_of(canvas);
    if (raster->clip_count == 0) return;
    raster->clip = raster->clips[--raster->clip_count];
}

static const CanvasOperations operations = {
    .fill = raster_fill,
    .round_fill = raster_round_fill,
    .round_frame = raster_round_frame,
    .line = raster_line,
    .hatch = raster_hatch,
    .cells = raster_cells,
    .text = raster_text,
    .text_width = raster_width,
    .clip_push = raster_clip_push,
    .clip_pop = raster_clip_pop,
};

/* False, with nothing changed, if memory ends. */
static bool set_surface(Raster *raster, int width, int height) {
    size_t pitch = (3 * (size_t)width + 3) / 4 * 4, size = pitch * (size_t)height;
    uint8_t *bytes = size > raster->size ? large_memory(size) : raster->surface.bytes;
    if (!bytes) return false;
    if (size > raster->size) {
        large_memory_free(raster->surface.bytes, raster->size);
        raster->size = size;
    }
    raster->surface = (Surface){bytes, pitch, width, height};
    return true;
}

static bool check_size(double columns, double rows, Error *error) {
    /* three in the surface, three in the rows of the PNG (picture_png.c) */
    const double bytes_per_pixel = 6, giga = 1e9, mega = 1e6;
    const char *advice = "choose a smaller --scale, fewer --heads, or an SVG";
    if (!(columns <= SIDE_MAX && rows <= SIDE_MAX))
        return error_usage(
            error, "the picture would be %.0f x %.0f pixels, too large: a side has at most %d; %s",
            columns, rows, SIDE_MAX, advice);
    if (columns * rows > PIXELS_MAX)
        return error_usage(error,
                           "the picture would be %.0f x %.0f pixels, too large: it would take %.1f "
                           "GB of memory, and the largest, of %.0f million pixels, takes %.1f; %s",
                           columns, rows, columns * rows * bytes_per_pixel / giga,
                           PIXELS_MAX / mega, PIXELS_MAX * bytes_per_pixel / giga, advice);
    return true;
}

bool raster_resize(Raster *raster, float width, float height, float scale, Error *error) {
    double columns = round((double)width * scale), rows = round((double)height * scale);
    if (!check_size(columns, rows, error)) return false;
    int across = columns < 1 ? 1 : (int)columns, down = rows < 1 ? 1 : (int)rows;
    if (!set_surface(raster, across, down))
        return error_set(error, "out of memory for a picture of %.0f x %.0f pixels", columns, rows);
    raster->clip = (PixelRect){0, 0, across, down};
    raster->clip_count = 0;
    raster->canvas.failed = false;
    raster->scale = scale;
    raster->canvas.scale = scale;
    return true;
}

Raster *raster_make(float width, float height, float scale, TextRenderer *text, Error *error) {
    Raster *raster = calloc(1, sizeof *raster);
    if (!raster) {
        error_set(error, "out of memory for a picture");
        return NULL;
    }
    raster->canvas.operations = &operations;
    raster->text = text;
    if (raster_resize(raster, width, height, scale, error)) return raster;
    raster_free(raster);
    return NULL;
}

void raster_free(Raster *raster) {
    if (!raster) return;
    large_memory_free(raster->surface.bytes, raster->size);
    free(raster);
}

Canvas *raster_canvas(Raster *raster) {
    return &raster->canvas;
}

const Surface *raster_surface(Raster *raster) {
    return &raster->surface;
}
