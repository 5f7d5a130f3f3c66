/* Rows of values as rows of pixels, a block of 64 at a time, where the processor looks bytes up in
 * a table of 128 (AVX-512 VBMI: Intel's since 2019, AMD's since 2022). */
#ifndef HEADSCOPE_VIZ_CANVAS_PIXELS_BLOCKS_H
#define HEADSCOPE_VIZ_CANVAS_PIXELS_BLOCKS_H

#include "viz/canvas/pixels_values.h"

bool pixels_blocks_usable(const CellMap *map);

/* As pixels_values_row, of the first blocks up to one in which some values are NaN and some are
 * not. Returns how many pixels are done. */
int pixels_blocks_row(const ValueColors *colors, uint8_t *pixel, const float *values, int count);

#endif
