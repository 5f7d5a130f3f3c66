/* The views of the window: each draws itself into an area. A function without a file in brackets is
 * in the file of that name. */
#ifndef HEADSCOPE_VIZ_DRAW_VIEWS_H
#define HEADSCOPE_VIZ_DRAW_VIEWS_H

#include "viz/draw/map_place.h"

void draw_topbar(Paint *paint, Rect area);     /* (draw_strips.c) */
float draw_sequences(Paint *paint, Rect area); /* returns the height used */
float draw_world(Paint *paint, Rect area); /* the same; 0 if nothing is changed (draw_strips.c) */
void draw_overview(Paint *paint, Rect area);
float overview_widest(const Paint *paint); /* the largest useful width (draw_overview.c) */
void draw_panels(Paint *paint, Rect area);
void draw_side(Paint *paint, Rect area);
#define DRAW_STATUS_LINE 30.0F             /* without the notice above it */
void draw_status(Paint *paint, Rect area); /* (draw_strips.c) */
void draw_focus(Paint *paint, Rect area);
void draw_compare(Paint *paint, Rect area);
void draw_compare_rows(Paint *paint, Rect area); /* divergences, query by query */
void draw_similarity(Paint *paint, Rect area);
void draw_train(Paint *paint, Rect area);
void draw_lessons(Paint *paint, Rect area);      /* the menu and the page */
Rect draw_train_curves(Paint *paint, Rect area); /* returns the area of the axes (draw_train.c) */
void draw_help(Paint *paint, Rect area);
void draw_tip(Paint *paint, Rect area); /* (draw_screen.c) */

/* Draws one map with its tokens, as large as fits. */
void draw_map(Paint *paint, Rect area, const ScreenMap *map, MapStyle style);

/* Draws a colour scale from 0, or -top, to top; on one line if the area is too low for two. */
void draw_scale(Paint *paint, Rect area, float top, bool diverging, const char *caption);

#endif
