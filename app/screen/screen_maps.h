/* The maps of the screen: all heads small, one layer's heads large, one head alone. Internal to
 * app/screen. */
#ifndef HEADSCOPE_APP_SCREEN_SCREEN_MAPS_H
#define HEADSCOPE_APP_SCREEN_SCREEN_MAPS_H

#include "app/screen/screen_builder.h"

void screen_build_maps(ScreenBuilder *builder);

/* The map of one side of a comparison. */
ScreenMap screen_side_map(ScreenBuilder *builder, const Side *side);

/* The largest difference of a map and the one subtracted from it, over all cells that are drawn. */
float screen_largest_difference(const ScreenMap *map);

/* The end of a colour scale for differences: the smallest round number that is not below. */
float screen_round_reach(float reach);

#endif
