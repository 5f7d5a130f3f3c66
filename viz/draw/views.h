/* The views of the window: each draws itself into an area. A name without a file in brackets stands
 * in the file of that name. */
#ifndef HEADSCOPE_VIZ_DRAW_VIEWS_H
#define HEADSCOPE_VIZ_DRAW_VIEWS_H

#include "viz/draw/map_place.h"

void draw_topbar(Paint *paint, Rect area);     /* (draw_strips.c) */
float draw_sequences(Paint *paint, Rect area); /* returns the height used */
float draw_world(Paint *paint,
                 Rect area); /* likewise; 0 where nothing is changed (draw_strips.c) */
void draw_overview(Paint *paint, Rect area);
float overview_widest(const Paint *paint); /* the largest width that is of use (draw_overview.c) */
void draw_panels(Paint *paint, Rect area);
void draw_side(Paint *paint, Rect area);
#define DRAW_STATUS_LINE 30.0F /* the height of the line; what is above it is for a notice */
void draw_status(Paint *paint, Rect area); /* (draw_strips.c) */
void draw_focus(Paint *paint, Rect area);
void draw_compare(Paint *paint, Rect area);
void draw_compare_rows(Paint *paint, Rect area); /* divergences, row by row */
void draw_similarity(Paint *paint, Rect area);
void draw_train(Paint *paint, Rect area);
void draw_lessons(Paint *paint, Rect area);      /* the menu and the page */
Rect draw_train_curves(Paint *paint, Rect area); /* returns where the axes lie (draw_train.c) */
void draw_help(Paint *paint, Rect area);
void draw_tip(Paint *paint, Rect area); /* (draw_screen.c) */

/* One map with its tokens, as large as fits; square cells where possible. */
void draw_map(Paint *paint, Rect area, const ScreenMap *map, MapStyle style);

/* A colour scale with its ends: 0 .. top, or -top .. 0 .. top; on one line where the area is lower
 * than two. */
void draw_scale(Paint *paint, Rect area, float top, bool diverging, const char *caption);

#endif
