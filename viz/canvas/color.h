/* One colour, straight (not premultiplied) sRGB with alpha. */
#ifndef HEADSCOPE_VIZ_CANVAS_COLOR_H
#define HEADSCOPE_VIZ_CANVAS_COLOR_H

#include <stdint.h>

typedef struct Color {
    uint8_t r, g, b, a; /* a: 255 is opaque */
} Color;

/* The opaque colour 0xRRGGBB. */
static inline Color color_rgb(uint32_t rgb) {
    return (Color){(uint8_t)(rgb >> 16), (uint8_t)(rgb >> 8), (uint8_t)rgb, 255};
}

/* Black or white, whichever is easier to read on it. */
static inline Color color_ink_on(Color ground) {
    float light = 0.299F * (float)ground.r + 0.587F * (float)ground.g + 0.114F * (float)ground.b;
    return light > 140 ? color_rgb(0x15181c) : color_rgb(0xffffff);
}

#endif
