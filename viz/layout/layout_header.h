/* The header of a sheet: title, colour scale, legend, and the captions of a site's axes. Internal
 * to viz/layout. */
#ifndef HEADSCOPE_VIZ_LAYOUT_LAYOUT_HEADER_H
#define HEADSCOPE_VIZ_LAYOUT_LAYOUT_HEADER_H

#include "viz/layout/layout_text.h"

/* The width of the widest item: the colour scale or an entry of the legend. */
float header_min_width(LayoutBuilder *builder);

/* Adds title, colour scale and legend from `y` on, once the sheet's width is set. Returns where the
 * body begins. */
float header_add(LayoutBuilder *builder, float y);

/* Adds a site's heading and the captions of its rows and columns. Returns where they end. */
float header_add_site(LayoutBuilder *builder, Site site, float x, float y, float limit);

#endif
