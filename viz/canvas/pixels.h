/* Shapes and maps on pixels in memory; the raster draws with these. All rectangles are in device
 * pixels, and nothing outside of the clip is touched. */
#ifndef HEADSCOPE_VIZ_CANVAS_PIXELS_H
#define HEADSCOPE_VIZ_CANVAS_PIXELS_H

#include "viz/canvas/canvas.h"

typedef struct PixelRect {
    int x, y, w, h;
} PixelRect;

/* Sets *both to the intersection of two rectangles; false (and *both has no size) if it is empty.
 */
bool pixels_intersect(const PixelRect *one, const PixelRect *other, PixelRect *both);

/* Rows of three bytes a pixel: red, green, blue. */
typedef struct Pixels {
    uint8_t *bytes;
    size_t pitch;   /* bytes from one row to the next */
    PixelRect clip; /* within the surface */
} Pixels;

static inline uint8_t *pixels_at(const Pixels *pixels, int x, int y) {
    return pixels->bytes + (size_t)y * pixels->pitch + 3 * (size_t)x;
}

static inline void pixels_set(uint8_t *pixel, Color color) {
    pixel[0] = color.r;
    pixel[1] = color.g;
    pixel[2] = color.b;
}

static inline uint8_t pixels_mix(int over, int under, int alpha) {
    return (uint8_t)((over * alpha + under * (255 - alpha) + 127) / 255);
}

/* Blends a colour into one pixel with `alpha`, whatever the alpha of the colour. */
static inline void pixels_over(uint8_t *pixel, Color color, int alpha) {
    pixel[0] = pixels_mix(color.r, pixel[0], alpha);
    pixel[1] = pixels_mix(color.g, pixel[1], alpha);
    pixel[2] = pixels_mix(color.b, pixel[2], alpha);
}

/* Blends a colour into one pixel that it covers in part; a coverage of 255 is all of it. */
static inline void pixels_blend(uint8_t *pixel, Color color, int coverage) {
    int alpha = (color.a * coverage + 127) / 255;
    if (alpha == 255)
        pixels_set(pixel, color);
    else if (alpha > 0)
        pixels_over(pixel, color, alpha);
}

/* Sets *seen to the part of a rectangle within the clip; false if there is none. */
bool pixels_seen(const Pixels *pixels, const PixelRect *rect, PixelRect *seen);

void pixels_fill(const Pixels *pixels, PixelRect rect, Color color);

/* Lines along x + y = const: along a row, `width` pixels of every `period` (at least 1). */
void pixels_hatch(const Pixels *pixels, PixelRect rect, Color ground, Color line, int period,
                  int width);

/* A line with round ends, `width` pixels wide; points in pixels, (0,0) at a pixel's corner. */
void pixels_line(const Pixels *pixels, float x0, float y0, float x1, float y1, float width,
                 Color color);

/* A rectangle with rounded corners: filled if `border` is 0, else only its edge of that width. A
 * corner's pixel is blended by the share of it that the shape covers. */
void pixels_round(const Pixels *pixels, PixelRect rect, float radius, int border, Color color);

/* Draws the map as canvas_cells specifies, `scale` device pixels for a logical one; the edges of
 * cells fall on whole pixels. False with *error for lack of memory. (pixels_cells.c) */
bool pixels_cells(const Pixels *pixels, const CellMap *map, float scale, Error *error);

#endif
