/* Rows of values as rows of pixels: each value's colour from the table of a map. */
#ifndef HEADSCOPE_VIZ_CANVAS_PIXELS_VALUES_H
#define HEADSCOPE_VIZ_CANVAS_PIXELS_VALUES_H

#include "model/base/simd.h"
#include "viz/canvas/canvas.h"

enum { VALUES_BLOCK = 64 };

typedef struct ValueColors {
    const CellMap *map;
    float share;    /* 1 / the map's top */
    float min, max; /* the lowest and the highest entry */
    /* each colour in eight bytes, placed as the first or the second of two neighbours; and its red,
     * green and blue apart */
    uint64_t first[COLORMAP_ENTRIES], second[COLORMAP_ENTRIES];
    uint8_t parts[3][COLORMAP_ENTRIES];
    /* Indices of two byte permutations for each of the three vectors of a block's pixels. The first
     * takes red and green from two vectors; the second keeps these and adds blue. */
    uint8_t red_green[3][VALUES_BLOCK], blue[3][VALUES_BLOCK];
    bool blocks; /* the processor can draw a block at once */
} ValueColors;

/* The map stays the caller's. */
void pixels_values_prepare(ValueColors *colors, const CellMap *map);

/* entries[count] = canvas_cell_entry of each value. Returns the number of NaNs, whose entries are
 * undefined. */
int pixels_values_entries(const ValueColors *colors, const float *values, int count,
                          uint8_t *entries);

/* The same for a map that does not diverge. */
SIMD_DECLARE(int, pixels_values_scaled,
             (const ValueColors *restrict colors, const float *restrict values, int count,
              uint8_t *restrict entries));

/* pixel[3 * count] = the colours of the values [count]; the pixel of a NaN is not changed. */
void pixels_values_row(const ValueColors *colors, uint8_t *pixel, const float *values, int count);

/* True if the processor looks bytes up in a table of 128 (AVX-512 VBMI: Intel since 2019, AMD since
 * 2022), which pixels_values_blocks needs. */
SIMD_DECLARE(bool, pixels_values_has_blocks, (void));

/* As pixels_values_row, for a map that does not diverge, VALUES_BLOCK pixels at a time. Stops
 * before the first block that mixes NaNs and numbers. Returns the number of pixels done. */
SIMD_DECLARE(int, pixels_values_blocks,
             (const ValueColors *colors, uint8_t *pixel, const float *values, int count));

#endif
