/* Filling, blending and hatching on pixels in memory: what the raster stands on. All rectangles are
 * in device pixels, and nothing outside of the clip is touched. */
#ifndef HEADSCOPE_VIZ_PIXELS_H
#define HEADSCOPE_VIZ_PIXELS_H

#include "viz/color.h"

#include <SDL.h>
#include <stdbool.h>

/* Rows of three bytes a pixel: red, green, blue. */
typedef struct Pixels {
    Uint8 *bytes;
    size_t pitch;  /* bytes from one row to the next */
    SDL_Rect clip; /* within the surface */
} Pixels;

static inline Uint8 *pixels_at(const Pixels *pixels, int x, int y) {
    return pixels->bytes + (size_t)y * pixels->pitch + 3 * (size_t)x;
}

static inline void pixels_set(Uint8 *pixel, Color color) {
    pixel[0] = color.r;
    pixel[1] = color.g;
    pixel[2] = color.b;
}

static inline Uint8 pixels_mix(int over, int under, int alpha) {
    return (Uint8)((over * alpha + under * (255 - alpha) + 127) / 255);
}

/* Lays a colour over one pixel; its own alpha does not count. */
static inline void pixels_over(Uint8 *pixel, Color color, int alpha) {
    pixel[0] = pixels_mix(color.r, pixel[0], alpha);
    pixel[1] = pixels_mix(color.g, pixel[1], alpha);
    pixel[2] = pixels_mix(color.b, pixel[2], alpha);
}

/* Lays a colour over a share of one pixel; a coverage of 255 is all of it. */
static inline void pixels_blend(Uint8 *pixel, Color color, int coverage) {
    int alpha = (color.a * coverage + 127) / 255;
    if (alpha == 255)
        pixels_set(pixel, color);
    else if (alpha > 0)
        pixels_over(pixel, color, alpha);
}

/* What of a rectangle is seen; false if nothing is. */
bool pixels_seen(const Pixels *pixels, const SDL_Rect *rect, SDL_Rect *seen);

void pixels_fill(const Pixels *pixels, SDL_Rect rect, Color color);

/* Lines along x + y = const, `width` pixels of each `period` (at least 1) along a row. */
void pixels_hatch(const Pixels *pixels, SDL_Rect rect, Color ground, Color line, int period,
                  int width);

/* A line with round ends, `width` pixels wide; points in pixels, (0,0) at a pixel's corner. */
void pixels_line(const Pixels *pixels, float x0, float y0, float x1, float y1, float width,
                 Color color);

/* A rectangle with rounded corners: filled for a border of 0, else its edge alone. A corner's
 * pixel takes the share of it that the shape covers (to 1/256). */
void pixels_round(const Pixels *pixels, SDL_Rect rect, float radius, int border, Color color);

#endif
