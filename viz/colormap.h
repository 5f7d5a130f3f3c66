/* Colour maps for weights: from a share of the scale to a colour. All four rise steadily in
 * lightness, so they also read in grey print and with any colour blindness. */
#ifndef HEADSCOPE_VIZ_COLORMAP_H
#define HEADSCOPE_VIZ_COLORMAP_H

#include "viz/color.h"

#include <stdbool.h>

typedef enum ColorMap {
    COLORMAP_VIRIDIS,
    COLORMAP_CIVIDIS,
    COLORMAP_MAGMA,
    COLORMAP_GREY,
    COLORMAP_COUNT
} ColorMap;

/* The colour at `share` of the scale: 0 its lowest, 1 its highest; outside of that, the nearer end
 * (NaN: the lowest). The same 256 colours, cut at the same places, as in matplotlib. */
Color colormap_color(ColorMap map, float share);

/* "viridis", "cividis", "magma", "grey". */
const char *colormap_name(ColorMap map);

/* Reads such a name ("gray" too); false for anything else. */
bool colormap_parse(const char *name, ColorMap *map);

#endif
