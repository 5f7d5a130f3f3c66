/* Colour maps for weights: from a share of the scale to a colour. The lightness of all four rises
 * steadily, so they stay readable in grey print and with any colour blindness. */
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

/* The entry for `share` of the scale, 0 to 1; values outside are clamped (NaN: entry 0). The same
 * 256 colours with the same boundaries as in matplotlib. */
int colormap_entry(float share);
Color colormap_entry_color(ColorMap map, int entry);

/* The diverging map: blue above 0, orange below, `middle` at 0. 255 colours: -1 is entry 0, 0 is
 * entry 127, 1 is entry 254; values outside are clamped (NaN: entry 127). Away from the middle,
 * lightness falls steadily on both sides of a light middle and rises on both sides of a dark one.
 * Blue and orange stay distinct with every kind of colour blindness. */
int colormap_diverging_entry(float share);
Color colormap_diverging_color(int entry, Color middle);

/* "viridis", "cividis", "magma", "grey". */
const char *colormap_name(ColorMap map);

/* Reads such a name ("gray" too); false for anything else. */
bool colormap_parse(const char *name, ColorMap *map);

#endif
