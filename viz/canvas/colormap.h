/* Colour maps for weights: from a share of the scale to a colour. All four rise steadily in
 * lightness, so they also read in grey print and with any colour blindness. */
#ifndef HEADSCOPE_VIZ_CANVAS_COLORMAP_H
#define HEADSCOPE_VIZ_CANVAS_COLORMAP_H

#include "viz/canvas/color.h"

#include <stdbool.h>

enum { COLORMAP_ENTRIES = 256 };

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

/* The same in two steps, for whom the colours of a map are a table: which of them, and its colour.
 */
int colormap_entry(float share);
Color colormap_entry_color(ColorMap map, int entry);

/* Differences: blue above 0, orange below, `middle` at 0; -1 and 1 are the ends, outside of them
 * the nearer counts (NaN: the middle). Away from the middle lightness falls steadily on both sides
 * where it is light, and rises where it is dark; blue and orange differ for every kind of colour
 * blindness. 255 colours. */
Color colormap_diverging(float share, Color middle);

/* The same in two steps: -1 is entry 0, 0 is entry 127, 1 is entry 254. */
int colormap_diverging_entry(float share);
Color colormap_diverging_color(int entry, Color middle);

/* "viridis", "cividis", "magma", "grey". */
const char *colormap_name(ColorMap map);

/* Reads such a name ("gray" too); false for anything else. */
bool colormap_parse(const char *name, ColorMap *map);

#endif
