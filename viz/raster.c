#include "viz/raster.h"

#include <math.h>
#include <stdlib.h>

enum { CLIPS_AT_MOST = 16, SIDE_AT_MOST = 32767, PIXELS_AT_MOST = 1 << 27 };

/* The hatch, in logical pixels: a line of this width each so many pixels along a row. */
#define HATCH_PERIOD 5
#define HATCH_WIDTH  1

struct Raster {
    Canvas canvas; /* first: a Canvas of ours is a Raster */
    SDL_Surface *surface;
    TextRenderer *text;
    float scale;
    SDL_Rect clips[CLIPS_AT_MOST];
    int clip_count;
};

static Raster *raster_of(Canvas *canvas) {
    return (Raster *)canvas;
}

static int device(const Raster *raster, float logical) {
    return (int)lroundf(logical * raster->scale);
}

/* Edges are rounded, not widths, so that rectangles which meet still meet. */
static SDL_Rect device_rect(const Raster *raster, Rect rect) {
    int x = device(raster, rect.x), y = device(raster, rect.y);
    return (SDL_Rect){x, y, device(raster, rect.x + rect.w) - x,
                      device(raster, rect.y + rect.h) - y};
}

/* The three bytes of a pixel: red, green, blue. */
static Uint8 *pixel_at(const Raster *raster, int x, int y) {
    Uint8 *pixels = raster->surface->pixels;
    return pixels + (size_t)y * (size_t)raster->surface->pitch + 3 * (size_t)x;
}

static Uint8 mix(int over, int under, int alpha) {
    return (Uint8)((over * alpha + under * (255 - alpha) + 127) / 255);
}

static void blend(Uint8 *pixel, Color color, int coverage) {
    int alpha = (color.a * coverage + 127) / 255;
    if (alpha == 0) return;
    pixel[0] = mix(color.r, pixel[0], alpha);
    pixel[1] = mix(color.g, pixel[1], alpha);
    pixel[2] = mix(color.b, pixel[2], alpha);
}

static void fill_device(Raster *raster, SDL_Rect rect, Color color) {
    if (color.a == 255) {
        SDL_FillRect(raster->surface, &rect,
                     SDL_MapRGB(raster->surface->format, color.r, color.g, color.b));
        return;
    }
    SDL_Rect seen;
    if (!SDL_IntersectRect(&rect, &raster->surface->clip_rect, &seen)) return;
    for (int y = seen.y; y < seen.y + seen.h; y++)
        for (int x = seen.x; x < seen.x + seen.w; x++)
            blend(pixel_at(raster, x, y), color, 255);
}

static void raster_fill(Canvas *canvas, Rect rect, Color color) {
    fill_device(raster_of(canvas), device_rect(raster_of(canvas), rect), color);
}

/* How far the point lies from the segment that starts at the origin and ends at (dx,dy). */
static float distance_to_segment(float x, float y, float dx, float dy) {
    float square = dx * dx + dy * dy;
    float share = square > 0 ? (x * dx + y * dy) / square : 0;
    share = fminf(fmaxf(share, 0), 1);
    return hypotf(x - share * dx, y - share * dy);
}

static void raster_line(Canvas *canvas, float x0, float y0, float x1, float y1, float width,
                        Color color) {
    Raster *raster = raster_of(canvas);
    float scale = raster->scale, half = width * scale / 2;
    x0 *= scale, y0 *= scale, x1 *= scale, y1 *= scale;
    SDL_Rect box = {.x = (int)floorf(fminf(x0, x1) - half - 1),
                    .y = (int)floorf(fminf(y0, y1) - half - 1)};
    box.w = (int)ceilf(fmaxf(x0, x1) + half + 1) - box.x;
    box.h = (int)ceilf(fmaxf(y0, y1) + half + 1) - box.y;
    SDL_Rect seen;
    if (!SDL_IntersectRect(&box, &raster->surface->clip_rect, &seen)) return;
    for (int y = seen.y; y < seen.y + seen.h; y++)
        for (int x = seen.x; x < seen.x + seen.w; x++) {
            float away =
                distance_to_segment((float)x + 0.5F - x0, (float)y + 0.5F - y0, x1 - x0, y1 - y0);
            float covered = fminf(fmaxf(half + 0.5F - away, 0), 1);
            blend(pixel_at(raster, x, y), color, (int)(covered * 255 + 0.5F));
        }
}

static void raster_hatch(Canvas *canvas, Rect rect, Color ground, Color line) {
    Raster *raster = raster_of(canvas);
    SDL_Rect box = device_rect(raster, rect), seen;
    if (!SDL_IntersectRect(&box, &raster->surface->clip_rect, &seen)) return;
    fill_device(raster, seen, ground);
    int period = device(raster, HATCH_PERIOD) > 2 ? device(raster, HATCH_PERIOD) : 2;
    int width = device(raster, HATCH_WIDTH) > 1 ? device(raster, HATCH_WIDTH) : 1;
    for (int y = seen.y; y < seen.y + seen.h; y++)
        for (int x = seen.x; x < seen.x + seen.w; x++)
            if ((x + y) % period < width) blend(pixel_at(raster, x, y), line, 255);
}

static void raster_cells(Canvas *canvas, const CellMap *map) {
    Raster *raster = raster_of(canvas);
    float width = map->area.w / (float)map->columns, height = map->area.h / (float)map->rows;
    float share = map->top > 0 ? 1 / map->top : 0;
    for (int row = 0; row < map->rows; row++)
        for (int column = 0; column < map->columns; column++) {
            float value = map->values[(long)row * map->columns + column];
            if (isnan(value)) continue;
            Rect cell = {map->area.x + (float)column * width, map->area.y + (float)row * height,
                         width, height};
            fill_device(raster, device_rect(raster, cell),
                        colormap_color(map->colormap, value * share));
        }
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

/* Lays coverage over the surface with its upper left corner at (left,top); `upward` turns it by 90
 * degrees to the left. */
static void blend_image(Raster *raster, const TextImage *image, int left, int top, bool upward,
                        Color color) {
    SDL_Rect box = {left, top, upward ? image->height : image->width,
                    upward ? image->width : image->height};
    SDL_Rect seen;
    if (!SDL_IntersectRect(&box, &raster->surface->clip_rect, &seen)) return;
    for (int y = seen.y; y < seen.y + seen.h; y++)
        for (int x = seen.x; x < seen.x + seen.w; x++) {
            int along = upward ? image->width - 1 - (y - top) : x - left;
            int across = upward ? x - left : y - top;
            blend(pixel_at(raster, x, y), color, image->coverage[across * image->width + along]);
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
    if (style->upward)
        blend_image(raster, image, left - image->ascent, top + before - image->width, true,
                    style->color);
    else
        blend_image(raster, image, left - before, top - image->ascent, false, style->color);
}

static void raster_clip_push(Canvas *canvas, Rect rect) {
    Raster *raster = raster_of(canvas);
    if (raster->clip_count == CLIPS_AT_MOST) {
        Error error;
        error_set(&error, "clips are nested more than %d deep", CLIPS_AT_MOST);
        canvas_fail(canvas, &error);
        return;
    }
    SDL_Rect before, now = device_rect(raster, rect), both;
    SDL_GetClipRect(raster->surface, &before);
    raster->clips[raster->clip_count++] = before;
    SDL_IntersectRect(&before, &now, &both);
    SDL_SetClipRect(raster->surface, &both);
}

static void raster_clip_pop(Canvas *canvas) {
    Raster *raster = raster_of(canvas);
    if (raster->clip_count == 0) return;
    SDL_SetClipRect(raster->surface, &raster->clips[--raster->clip_count]);
}

static const CanvasOperations operations = {
    .fill = raster_fill,
    .line = raster_line,
    .hatch = raster_hatch,
    .cells = raster_cells,
    .text = raster_text,
    .text_width = raster_width,
    .clip_push = raster_clip_push,
    .clip_pop = raster_clip_pop,
};

Raster *raster_make(float width, float height, float scale, TextRenderer *text, Error *error) {
    double columns = round((double)width * scale), rows = round((double)height * scale);
    if (columns > SIDE_AT_MOST || rows > SIDE_AT_MOST || columns * rows > PIXELS_AT_MOST) {
        error_usage(error,
                    "the picture would be %.0f x %.0f pixels, too large; choose a smaller scale or "
                    "fewer heads",
                    columns, rows);
        return NULL;
    }
    Raster *raster = calloc(1, sizeof *raster);
    if (raster)
        raster->surface = SDL_CreateRGBSurfaceWithFormat(
            0, columns < 1 ? 1 : (int)columns, rows < 1 ? 1 : (int)rows, 24, SDL_PIXELFORMAT_RGB24);
    if (raster && raster->surface) {
        raster->canvas.operations = &operations;
        raster->text = text;
        raster->scale = scale;
        return raster;
    }
    raster_free(raster);
    error_set(error, "out of memory for a picture of %.0f x %.0f pixels", columns, rows);
    return NULL;
}

void raster_free(Raster *raster) {
    if (!raster) return;
    SDL_FreeSurface(raster->surface);
    free(raster);
}

Canvas *raster_canvas(Raster *raster) {
    return &raster->canvas;
}

SDL_Surface *raster_surface(Raster *raster) {
    return raster->surface;
}
