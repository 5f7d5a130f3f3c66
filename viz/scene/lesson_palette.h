/* The colours of a tensor's cells: one for each head and step. */
#ifndef HEADSCOPE_VIZ_SCENE_LESSON_PALETTE_H
#define HEADSCOPE_VIZ_SCENE_LESSON_PALETTE_H

#include "viz/canvas/color.h"

enum { LESSON_HUES = 8, LESSON_HEADS = 2 * LESSON_HUES };

/* The colour of a number of this head and step: heads 0 to 7 have a hue each, heads 8 to 15 the
 * same ones paler; after these they come again. Steps go from light (0) to dark (steps - 1), evenly
 * in the lightness that an eye sees (OKLab, B. Ottosson 2020). Negative ones count as 0. */
Color lesson_color(int head, int step, int steps);

#endif
