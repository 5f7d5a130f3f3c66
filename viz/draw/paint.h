/* The brush that all views of the window share: a canvas, a theme, and the list of what lies where;
 * and the small things that look the same everywhere: texts that fit, cards, buttons, bars. */
#ifndef HEADSCOPE_VIZ_DRAW_PAINT_H
#define HEADSCOPE_VIZ_DRAW_PAINT_H

#include "viz/canvas/canvas.h"
#include "viz/canvas/theme.h"
#include "viz/layout/hits.h"
#include "viz/scene/screen.h"
#include "viz/text/shorten.h"

typedef struct Paint {
    Canvas *canvas;
    const Theme *theme;
    const Screen *screen;
    HitList *hits;
    float width, height; /* of the window */
} Paint;

/* Sizes in logical pixels. */
#define PAINT_GAP    8.0F  /* between neighbours */
#define PAINT_PAD    12.0F /* between a card's edge and what is in it */
#define PAINT_RADIUS 6.0F
#define PAINT_BUTTON 26.0F /* the height of a button */
#define PAINT_LINE   20.0F /* from one line of text to the next */
#define PAINT_PITCH  1.45F /* likewise in a paragraph, in sizes of its font */

typedef struct PaintText {
    float size; /* 0: FONT_TEXT */
    bool bold;
    TextAlign align;
    Color color;  /* alpha 0: the theme's text colour */
    bool halves;  /* where it is too long, shorten both sides of a `→` in it */
    bool passing; /* the text is gone after the call: no tip is made of it */
} PaintText;

/* The text on one line in `area`, its middle at the area's middle, aligned within it; shortened
 * with `…` where it does not fit, and then its whole is the tip there. Nothing where not even that
 * fits. Returns its width. */
float paint_text(Paint *paint, Rect area, const char *text, PaintText style);

/* A token likewise, with its spaces made visible; a tip is made of it only if it has none. */
float paint_token(Paint *paint, Rect area, const char *token, PaintText style);

/* Wrapped at spaces to the area's width and at most `lines` lines. Returns the height used. */
float paint_paragraph(Paint *paint, Rect area, const char *text, int lines, PaintText style);

/* The height that it would use. */
float paint_paragraph_height(Paint *paint, float width, const char *text, int lines,
                             PaintText style);

/* The width of a text that is not shortened. */
float paint_width(Paint *paint, const char *text, PaintText style);

/* Writes into `out` [SHORTEN_BYTES] what of the text fits into this width. */
void paint_fit(Paint *paint, const char *text, float width, PaintText style, char *out);

/* Likewise of a token as the label of a row or column (shorten_token). */
void paint_fit_token(Paint *paint, const char *token, float width, float size, char *out);

/* A colour with another alpha: opaque (255) to nothing (0). */
Color paint_faded(Color color, uint8_t alpha);

/* A card: surface, hairline, round corners. `frame` with alpha 0: the plain hairline. */
void paint_card(Paint *paint, Rect area, Color frame);

/* A button in `area`, with its hit. */
void paint_button(Paint *paint, Rect area, const ScreenButton *button);

/* The width that a button's label needs; the same for numbers of one digit and of two, and for its
 * other label. */
float paint_button_width(Paint *paint, const ScreenButton *button);

/* Buttons at the right edge of `area`, in order, the first ones if not all fit; returns the rest of
 * the area. */
Rect paint_buttons_right(Paint *paint, Rect area, const ScreenButton *buttons, int count);

/* Things of one height from left to right, on as many lines as they need. */
typedef struct PaintFlow {
    Rect area;                  /* its height does not count */
    float height, between, gap; /* of a thing; between neighbours; between lines */
    float x, y;                 /* where the next one begins */
} PaintFlow;

PaintFlow paint_flow(Rect area, float height, float between, float gap);

/* The place of the next thing, no wider than the area. */
Rect paint_flow_next(PaintFlow *flow, float width);

/* What is pressed, where `action` is not NULL; its tip, which may be NULL. */
void paint_hit(Paint *paint, Rect area, const char *action, const char *tip);

/* A card with a title's line: returns what is below it. A card lower than 190 has less space
 * around what is in it (*low). */
#define PAINT_PAD_LOW 8.0F
Rect paint_titled_card(Paint *paint, Rect card, float title_height, Rect *title, bool *low);

/* A map that is knocked out: washed out to this alpha, with a cross of lines so wide, so many times
 * their width within it. */
void paint_struck(Paint *paint, Rect cells, uint8_t wash, float width, float within);

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

/* Whether nothing can be seen of it (or it is no area at all). */
bool paint_is_empty(Rect area);

/* Which columns a window of this size has beside the middle. */
bool paint_has_overview(const Paint *paint);
bool paint_has_side(const Paint *paint);

/* --- the views, each in a file of its own ------------------------------------------------------
 */

/* One map with its tokens in `area`, as large as fits; square cells where possible. (draw_map.c) */
typedef struct MapStyle {
    bool title;            /* with its title line and frame */
    bool labels;           /* with tokens on both axes */
    bool numbers;          /* weights written into cells that are large enough */
    bool tiny;             /* also those that are next to nothing */
    float zoom, left, top; /* the part shown; zoom 0: all of it */
    bool focus;            /* its hits are HIT_FOCUS */
    float cell;       /* the size of a cell, so that maps side by side agree; 0: as large as fits */
    float wide, tall; /* cells are so many times as wide or high; 0: square */
} MapStyle;
void draw_map(Paint *paint, Rect area, const ScreenMap *map, MapStyle style);

/* The largest cell at which the map fits into `area` with this style. */
float draw_map_cell(Paint *paint, Rect area, const ScreenMap *map, MapStyle style);

/* The room that a map of this style takes of `area`; style.cell 0: with cells as large as fits. */
Rect draw_map_room(Paint *paint, Rect area, const ScreenMap *map, MapStyle style);

/* How many times as wide, or as high, the cells of this style (its cell is set) could be in `area`
 * if `kept` of the room that is left stays free; at most 2. */
float draw_map_stretch(Paint *paint, Rect area, const ScreenMap *map, MapStyle style, bool wide,
                       float kept);

/* That many times a cell, in whole pixels, as times the cell; at least 1. */
float draw_map_whole(float cell, float stretch);

/* The colour scale with its ends: 0 .. top, or -top .. 0 .. top; on one line where the area is
 * lower than two. (draw_scale.c) */
void draw_scale(Paint *paint, Rect area, float top, bool diverging, const char *caption);

/* Everything, on a window of this size in logical pixels. What lies where is written into `hits`,
 * which is cleared first. (draw_screen.c) */
void draw_screen(Canvas *canvas, const Screen *screen, float width, float height, HitList *hits);

void draw_topbar(Paint *paint, Rect area);
float draw_sequences(Paint *paint, Rect area); /* returns the height used */
float draw_world(Paint *paint, Rect area);     /* likewise; nothing where nothing is changed */
void draw_overview(Paint *paint, Rect area);
float overview_widest(const Paint *paint); /* the width that it has a use for */
void draw_panels(Paint *paint, Rect area);
void draw_side(Paint *paint, Rect area);
#define DRAW_STATUS_LINE 30.0F /* what is higher than this line is for a notice */
void draw_status(Paint *paint, Rect area);
void draw_focus(Paint *paint, Rect area);
float draw_focus_lines(Paint *paint, Rect area); /* returns the least weight shown */
void draw_compare(Paint *paint, Rect area);
void draw_compare_rows(Paint *paint, Rect area); /* how far apart, row by row */
void draw_similarity(Paint *paint, Rect area);
void draw_train(Paint *paint, Rect area);
void draw_lessons(Paint *paint, Rect area);      /* the menu and the page */
Rect draw_train_curves(Paint *paint, Rect area); /* returns where the axes lie */
void draw_help(Paint *paint, Rect area);
void draw_tip(Paint *paint, Rect area);

#endif
