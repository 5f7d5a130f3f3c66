/* What all views of the window draw with: a canvas, a theme, the list of hits; and what looks the
 * same in all of them: texts that fit, cards, buttons, bars. */
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

/* Draws a text on one line in the vertical middle of `area`, aligned within it. A text that does
 * not fit is shortened with `…`, and the whole text becomes the area's tip; nothing is drawn where
 * not even that fits. Returns the width drawn. */
float paint_text(Paint *paint, Rect area, const char *text, PaintText style);

/* The same for a token, with its spaces made visible; one with spaces has no tip. */
float paint_token(Paint *paint, Rect area, const char *token, PaintText style);

/* Draws a text wrapped at spaces to the area's width, on at most `lines` lines. Returns the height
 * used. */
float paint_paragraph(Paint *paint, Rect area, const char *text, int lines, PaintText style);

/* The height that paint_paragraph would use. */
float paint_paragraph_height(Paint *paint, float width, const char *text, int lines,
                             PaintText style);

/* The width of a text that is not shortened. */
float paint_width(Paint *paint, const char *text, PaintText style);

/* Writes into `out` [SHORTEN_BYTES] the text, shortened to this width. */
void paint_fit(Paint *paint, const char *text, float width, PaintText style, char *out);

/* The same for a token that labels a row or column (shorten_token). */
void paint_fit_token(Paint *paint, const char *token, float width, float size, char *out);

/* A colour with another alpha: opaque (255) to nothing (0). */
Color paint_faded(Color color, uint8_t alpha);

/* Draws a card: surface, hairline, round corners. `frame` with alpha 0: the plain hairline. */
void paint_card(Paint *paint, Rect area, Color frame);

/* Draws a button in `area` and adds its hit. */
void paint_button(Paint *paint, Rect area, const ScreenButton *button);

/* The width that a button's label needs; the same for numbers of one digit and of two, and for its
 * other label. */
float paint_button_width(Paint *paint, const ScreenButton *button);

/* Draws buttons at the right edge of `area`, in order; where not all fit, the first ones. Returns
 * the rest of the area. */
Rect paint_buttons_right(Paint *paint, Rect area, const ScreenButton *buttons, int count);

/* Places things of one height from left to right, on as many lines as they need. */
typedef struct PaintFlow {
    Rect area;                  /* its height does not count */
    float height, between, gap; /* of a thing; between neighbours; between lines */
    float x, y;                 /* where the next one begins */
} PaintFlow;

PaintFlow paint_flow(Rect area, float height, float between, float gap);

/* The place of the next thing, no wider than the area. */
Rect paint_flow_next(PaintFlow *flow, float width);

/* Adds a hit that does `action` when it is pressed (NULL: nothing), with a tip (NULL: none). */
void paint_hit(Paint *paint, Rect area, const char *action, const char *tip);

/* Draws a card and cuts a line for its title off the inside; returns what is left below. A low card
 * (*low) has less space inside its edge. */
#define PAINT_PAD_LOW 8.0F
Rect paint_titled_card(Paint *paint, Rect card, float title_height, Rect *title, bool *low);

/* Marks a head that is knocked out: fades its cells by the surface colour at alpha `wash` and
 * crosses them out with lines of this width, which begin `within` widths from the corners. */
void paint_struck(Paint *paint, Rect cells, uint8_t wash, float width, float within);

/* Draws a horizontal bar in a trough. */
void paint_bar(Paint *paint, Rect area, float share, Color color);

/* Draws a slider with its knob and adds its hit. */
void paint_slider(Paint *paint, Rect area, float share, ScreenSlider which, const char *tip);

/* Cut a strip off the top, bottom, left or right of *area and return it. */
Rect paint_cut_top(Rect *area, float height);
Rect paint_cut_bottom(Rect *area, float height);
Rect paint_cut_left(Rect *area, float width);
Rect paint_cut_right(Rect *area, float width);

/* The area less `space` on each side. */
Rect paint_inset(Rect area, float space);

/* Whether the area has no width or no height. */
bool paint_is_empty(Rect area);

/* Which columns a window of this size has beside the middle. */
bool paint_has_overview(const Paint *paint);
bool paint_has_side(const Paint *paint);

#endif
