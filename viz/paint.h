/* The brush that all views of the window share: a canvas, a theme, and the list of what lies where;
 * and the small things that look the same everywhere: texts that fit, cards, buttons, bars. */
#ifndef HEADSCOPE_VIZ_PAINT_H
#define HEADSCOPE_VIZ_PAINT_H

#include "viz/canvas.h"
#include "viz/hits.h"
#include "viz/screen.h"
#include "viz/theme.h"

typedef struct Paint {
    Canvas *canvas;
    const Theme *theme;
    const Screen *screen;
    HitList *hits;
} Paint;

typedef struct PaintText {
    float size; /* 0: FONT_TEXT */
    bool bold;
    TextAlign align;
    Color color; /* alpha 0: the theme's text colour */
} PaintText;

/* The text on one line in `area`, its middle at the area's middle, aligned within it; shortened
 * with `…` where it does not fit, and then its whole is the tip there. Returns its width. */
float paint_text(Paint *paint, Rect area, const char *text, PaintText style);

/* Wrapped at spaces to the area's width and at most `lines` lines. Returns the height used. */
float paint_paragraph(Paint *paint, Rect area, const char *text, int lines, PaintText style);

/* A card: surface, hairline, round corners. `frame` with alpha 0: the plain hairline. */
void paint_card(Paint *paint, Rect area, Color frame);

/* A button in `area`, with its hit. */
void paint_button(Paint *paint, Rect area, const ScreenButton *button);

/* The width that a button's label needs. */
float paint_button_width(Paint *paint, const ScreenButton *button);

/* Buttons from the right edge of `area` to the left, as many as fit; returns the rest of the area.
 */
Rect paint_buttons_right(Paint *paint, Rect area, const ScreenButton *buttons, int count);

/* A horizontal bar in a trough. */
void paint_bar(Paint *paint, Rect area, float share, Color color);

/* A slider with its knob, and its hit. */
void paint_slider(Paint *paint, Rect area, float share, ScreenSlider which, const char *tip);

/* Cuts a strip off: from the top, bottom, left or right of *area; returns it. */
Rect paint_cut_top(Rect *area, float height);
Rect paint_cut_bottom(Rect *area, float height);
Rect paint_cut_left(Rect *area, float width);
Rect paint_cut_right(Rect *area, float width);

/* The area less `space` on each side. */
Rect paint_inset(Rect area, float space);

/* --- the views, each in a file of its own ------------------------------------------------------
 */

/* One map with its tokens in `area`, as large as fits; square cells where possible. (draw_map.c) */
typedef struct MapLook {
    bool title;            /* with its title line and frame */
    bool labels;           /* with tokens on both axes */
    bool numbers;          /* weights written into cells that are large enough */
    float zoom, left, top; /* the part shown; zoom 0: all of it */
    bool focus;            /* its hits are HIT_FOCUS */
    float cell; /* the size of a cell, so that maps side by side agree; 0: as large as fits */
} MapLook;
void draw_map(Paint *paint, Rect area, const ScreenMap *map, MapLook look);

/* The largest cell at which the map fits into `area` with this look. */
float draw_map_cell(Paint *paint, Rect area, const ScreenMap *map, MapLook look);

/* The colour scale with its ends: 0 .. top, or -top .. 0 .. top. (draw_map.c) */
void draw_scale(Paint *paint, Rect area, float top, bool diverging, const char *caption);

/* Everything, on a window of this size in logical pixels. What lies where is written into `hits`,
 * which is cleared first. (draw_screen.c) */
void draw_screen(Canvas *canvas, const Screen *screen, float width, float height, HitList *hits);

void draw_topbar(Paint *paint, Rect area);
float draw_sequences(Paint *paint, Rect area); /* returns the height used */
void draw_overview(Paint *paint, Rect area);
void draw_panels(Paint *paint, Rect area);
void draw_side(Paint *paint, Rect area);
void draw_status(Paint *paint, Rect area);
void draw_focus(Paint *paint, Rect area);
void draw_compare(Paint *paint, Rect area);
void draw_similarity(Paint *paint, Rect area);
void draw_train(Paint *paint, Rect area);
void draw_help(Paint *paint, Rect area);
void draw_tip(Paint *paint, Rect area);

#endif
