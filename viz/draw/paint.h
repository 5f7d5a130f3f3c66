/* The drawing context shared by all views of the window, and the parts that look the same in all of
 * them: fitted texts, cards, buttons, bars. */
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
#define PAINT_PAD    12.0F /* between a card's edge and its content */
#define PAINT_RADIUS 6.0F
#define PAINT_BUTTON 26.0F /* the height of a button */
#define PAINT_LINE   20.0F /* from one line of text to the next */
#define PAINT_PITCH  1.45F /* the same in a paragraph, in font sizes */

typedef struct PaintText {
    float size; /* 0: FONT_TEXT */
    bool bold;
    TextAlign align;
    Color color;  /* alpha 0: the theme's text colour */
    bool halves;  /* if too long, shorten both sides of a `→` */
    bool passing; /* the text does not outlive the call: it cannot become a tip */
} PaintText;

/* Draws one line of text, vertically centred in `area`. A text that does not fit is shortened with
 * `…`, and the full text becomes the tip of the area; nothing is drawn if not even `…` fits.
 * Returns the width drawn. */
float paint_text(Paint *paint, Rect area, const char *text, PaintText style);

/* The same for a token, with visible spaces; a token with spaces has no tip. */
float paint_token(Paint *paint, Rect area, const char *token, PaintText style);

/* Draws a text wrapped at spaces to the area's width, on at most `lines` lines. Returns the height
 * used. */
float paint_paragraph(Paint *paint, Rect area, const char *text, int lines, PaintText style);

/* The height that paint_paragraph would use. */
float paint_paragraph_height(Paint *paint, float width, const char *text, int lines,
                             PaintText style);

/* The width of the text, not shortened; 0 for NULL. */
float paint_width(Paint *paint, const char *text, PaintText style);

/* Writes the text, shortened to this width, to `out` [SHORTEN_BYTES]. */
void paint_fit(Paint *paint, const char *text, float width, PaintText style, char *out);

/* The same for a token that labels a row or column (shorten_token). */
void paint_fit_token(Paint *paint, const char *token, float width, float size, char *out);

/* The colour with another alpha: 255 opaque, 0 invisible. */
Color paint_faded(Color color, uint8_t alpha);

/* Draws a card: surface, hairline, round corners. `frame` with alpha 0: the plain hairline. */
void paint_card(Paint *paint, Rect area, Color frame);

/* Draws a button in `area` and adds its hit. */
void paint_button(Paint *paint, Rect area, const ScreenButton *button);

/* The width of a button; the same for numbers of one and two digits, and for both of its labels. */
float paint_button_width(Paint *paint, const ScreenButton *button);

/* Draws buttons at the right edge of `area`, in order; only the first ones if not all fit. Returns
 * the rest of the area. */
Rect paint_buttons_right(Paint *paint, Rect area, const ScreenButton *buttons, int count);

/* Places items of equal height from left to right, wrapped into lines. */
typedef struct PaintFlow {
    Rect area;                  /* its height is ignored */
    float height, between, gap; /* of an item; between neighbours; between lines */
    float x, y;                 /* of the next item */
} PaintFlow;

PaintFlow paint_flow(Rect area, float height, float between, float gap);

/* The place of the next item, no wider than the area. */
Rect paint_flow_next(PaintFlow *flow, float width);

/* Adds a hit that runs `action` when pressed (NULL: nothing), with a tip (NULL: none). */
void paint_hit(Paint *paint, Rect area, const char *action, const char *tip);

/* Draws a card and returns its inside, below a line for the title (*title). A low card (*low) has
 * less padding. */
#define PAINT_PAD_LOW 8.0F
Rect paint_titled_card(Paint *paint, Rect card, float title_height, Rect *title, bool *low);

/* Marks the cells of an ablated head: fades them with the surface colour at alpha `wash`, and
 * crosses them out with lines of this width, starting `within` line widths from the corners. */
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

/* The area shrunk by `space` on each side; grown if `space` is negative. */
Rect paint_inset(Rect area, float space);

/* True if the area has no width or no height. */
bool paint_is_empty(Rect area);

/* Whether a window of this size has the overview, the side column. */
bool paint_has_overview(const Paint *paint);
bool paint_has_side(const Paint *paint);

#endif
