/* A picture in memory: rows of three bytes a pixel, red, green, blue, as a PNG holds them. */
#ifndef HEADSCOPE_VIZ_CANVAS_SURFACE_H
#define HEADSCOPE_VIZ_CANVAS_SURFACE_H

#include <stddef.h>
#include <stdint.h>

typedef struct Surface {
    uint8_t *bytes; /* [height,pitch] */
    size_t pitch;   /* bytes from one row to the next, at least 3 * width */
    int width, height;
} Surface;

static inline uint8_t *surface_row(const Surface *surface, int y) {
    return surface->bytes + (size_t)y * surface->pitch;
}

#endif
