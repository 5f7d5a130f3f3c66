/* The cell size and the token labels of a site. Internal to viz/layout. */
#ifndef HEADSCOPE_VIZ_LAYOUT_LAYOUT_AXIS_H
#define HEADSCOPE_VIZ_LAYOUT_LAYOUT_AXIS_H

#include "viz/layout/layout_text.h"

#define LAYOUT_CELL_MAX        14.0F
#define LAYOUT_CELL_MIN        4.0F
#define LAYOUT_CELL_FIGURE_MAX 28.0F /* in a figure, to fill its width */

/* Fills the layout's entry of `site` from the scene's labels and the trace's shape. */
void layout_build_site(LayoutBuilder *builder, Site site);

#endif
