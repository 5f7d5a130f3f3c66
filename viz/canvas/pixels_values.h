/* Rows of values as rows of pixels: each value's colour from the table of a map. */
#ifndef HEADSCOPE_VIZ_CANVAS_PIXELS_VALUES_H
#define HEADSCOPE_VIZ_CANVAS_PIXELS_VALUES_H

#include "model/base/simd.h"
#include "viz/canvas/canvas.h"

enum { VALUES_BLOCK = 64 };

typedef struct ValueColors {
    const CellMap *map;
    float share;       /* of the map's top that a value of 1 is */
    float least, most; /* entries of the table */
    /* each colour as eight bytes, as if it were the first or the second of two neighbours; and its
     * red, green and blue by themselves */
    uint64_t first[COLORMAP_ENTRIES], second[COLORMAP_ENTRIES];
    uint8_t parts[3][COLORMAP_ENTRIES];
    /* Which byte of a block's pixels stands at each place of three vectors: red and green in one
     * table of 128, and blue in the second half of one whose first half was taken from there. */
    uint8_t red_green[3][VALUES_BLOCK], blue[3][VALUES_BLOCK];
    bool blocks; /* the processor can draw a block at once */
} ValueColors;

/* The map stays the caller's. */
void pixels_values_prepare(ValueColors *colors, const CellMap *map);

/* entries[count] = where in the table the colour of each value stands, as canvas_cell_entry gives
 * it. Returns how many values are none; the entry of a NaN says nothing. */
int pixels_values_entries(const ValueColors *colors, const float *values, int count,
                          uint8_t *entries);

/* The same for a map that does not diverge. */
SIMD_DECLARE(int, pixels_values_scaled,
             (const ValueColors *restrict colors, const float *restrict values, int count,
              uint8_t *restrict entries));

/* pixel[3 * count] = the colours of the values [count]; the pixel of a NaN is left as it is. */
void pixels_values_row(const ValueColors *colors, uint8_t *pixel, const float *values, int count);

/* Whether the processor looks bytes up in a table of 128 (AVX-512 VBMI: Intel's since 2019, AMD's
 * since 2022), and pixels_values_blocks draws anything. */
SIMD_DECLARE(bool, pixels_values_has_blocks, (void));

/* As pixels_values_row, for a map that does not diverge, VALUES_BLOCK pixels at a time, up to the
 * first block in which some values are NaN and some are not. Returns how many pixels are done. */
SIMD_DECLARE(int, pixels_values_blocks,
             (const ValueColors *colors, uint8_t *pixel, const float *values, int count));

#endif
