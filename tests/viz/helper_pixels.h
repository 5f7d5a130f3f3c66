/* Reading pixels back, for the tests of viz/. */
#ifndef HEADSCOPE_TESTS_VIZ_HELPER_PIXELS_H
#define HEADSCOPE_TESTS_VIZ_HELPER_PIXELS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "viz/canvas/colormap.h"
#include "viz/canvas/surface.h"

/* 0xRRGGBB of one pixel. */
static inline uint32_t surface_pixel(const Surface *surface, int x, int y) {
    assert_in_range(x, 0, surface->width - 1);
    assert_in_range(y, 0, surface->height - 1);
    const unsigned char *at = surface_row(surface, y) + 3 * (size_t)x;
    return (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];
}

static inline uint32_t color_hex(Color color) {
    return (uint32_t)color.r << 16 | (uint32_t)color.g << 8 | color.b;
}

/* The colour that a map gives to a share of its scale. */
static inline Color map_color(ColorMap map, float share) {
    return colormap_entry_color(map, colormap_entry(share));
}

static inline Color diverging_color(float share, Color middle) {
    return colormap_diverging_color(colormap_diverging_entry(share), middle);
}

#endif
