#include "viz/canvas/pixels_values.h"

#include "model/base/minmax.h"

#include <math.h>
#include <string.h>

static void prepare_color(ValueColors *colors, int entry, Color color) {
    uint8_t parts[3] = {color.r, color.g, color.b};
    memcpy(&colors->first[entry], parts, 3);
    memcpy((uint8_t *)&colors->second[entry] + 3, parts, 3);
    for (int part = 0; part < 3; part++)
        colors->parts[part][entry] = parts[part];
}

void pixels_values_prepare(ValueColors *colors, const CellMap *map) {
    *colors = (ValueColors){.map = map,
                            .share = map->top > 0 ? 1 / map->top : 0,
                            .max = COLORMAP_ENTRIES - 1,
                            .blocks = !map->diverging && SIMD_PICK(pixels_values_has_blocks)()};
    for (int entry = 0; entry < COLORMAP_ENTRIES; entry++)
        prepare_color(colors, entry, canvas_cell_color(map, entry));
    for (int place = 0; place < 3 * VALUES_BLOCK; place++) {
        int pixel = place / 3 / 16 + place / 3 % 16 * 4, part = place % 3;
        int vector = place / VALUES_BLOCK, byte = place % VALUES_BLOCK;
        colors->red_green[vector][byte] = (uint8_t)(part == 1 ? VALUES_BLOCK + pixel : pixel);
        colors->blue[vector][byte] = (uint8_t)(part == 2 ? VALUES_BLOCK + pixel : byte);
    }
}

int pixels_values_entries(const ValueColors *colors, const float *values, int count,
                          uint8_t *entries) {
    if (!colors->map->diverging)
        return SIMD_PICK(pixels_values_scaled)(colors, values, count, entries);
    int none = 0;
    for (int i = 0; i < count; i++) {
        entries[i] = (uint8_t)canvas_cell_entry(colors->map, values[i]);
        none += values[i] != values[i];
    }
    return none;
}

/* Draws two pixels at a time by writing eight bytes; the next pixels overwrite the two in excess.
 * The last pixels are written one by one. */
static void draw_pairs(const ValueColors *colors, uint8_t *pixel, const uint8_t *entries,
                       int count) {
    int i = 0;
    for (; i + 3 <= count; i += 2, pixel += 6) {
        uint64_t pair = colors->first[entries[i]] | colors->second[entries[i + 1]];
        memcpy(pixel, &pair, 8);
    }
    for (; i < count; i++, pixel += 3)
        memcpy(pixel, &colors->first[entries[i]], 3);
}

/* Values at a time: few enough to stay in the cache, many enough to repay the start-up. */
enum { SOME = 256 };

/* Draws each run of numbers between NaNs. */
static void draw_some(const ValueColors *colors, uint8_t *pixel, const float *values, int count) {
    uint8_t entries[SOME];
    int none = pixels_values_entries(colors, values, count, entries);
    if (none == 0) draw_pairs(colors, pixel, entries, count);
    if (none == 0 || none == count) return;
    for (int first = 0, past; first < count; first = past + 1) {
        for (past = first; past < count && !isnan(values[past]); past++) {
        }
        draw_pairs(colors, pixel + 3 * (size_t)first, entries + first, past - first);
    }
}

void pixels_values_row(const ValueColors *colors, uint8_t *pixel, const float *values, int count) {
    int max = colors->blocks ? VALUES_BLOCK : SOME;
    for (int done = 0; done < count;) {
        const float *rest = values + done;
        uint8_t *at = pixel + 3 * (size_t)done;
        int some =
            colors->blocks ? SIMD_PICK(pixels_values_blocks)(colors, at, rest, count - done) : 0;
        if (some == 0) {
            some = int_min(count - done, max);
            draw_some(colors, at, rest, some);
        }
        done += some;
    }
}
