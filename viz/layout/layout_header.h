/* The head of a sheet: title, colour scale, legend, and what the axes of a site are. Internal to
 * viz/layout. */
#ifndef HEADSCOPE_VIZ_LAYOUT_LAYOUT_HEADER_H
#define HEADSCOPE_VIZ_LAYOUT_LAYOUT_HEADER_H

#include "viz/layout/layout_text.h"

/* The width that the widest item of the legend needs. */
float header_min_width(LayoutBuilder *builder);

/* Adds title, colour scale and legend from `y` on; the sheet's width is known. Returns where the
 * body begins. */
float header_add(LayoutBuilder *builder, float y);

/* Adds a site's name and, below it, what its rows and columns are. Returns where they end. */
float header_add_site(LayoutBuilder *builder, Site site, float x, float y, float limit);

#endif
