/* The canvas as an SVG: vectors and real text, for papers. The same calls give the same bytes in
 * any locale. Neighbouring cells of one colour in a row become one rectangle, hatches patterns,
 * clips groups. Texts are measured as by the raster. */
#ifndef HEADSCOPE_VIZ_CANVAS_SVG_H
#define HEADSCOPE_VIZ_CANVAS_SVG_H

#include "viz/canvas/canvas.h"
#include "viz/canvas/picture_texts.h"
#include "viz/text/text.h"

#include <stdio.h>

typedef struct SvgPage {
    float width, height;      /* logical pixels */
    double printed_width;     /* in `unit`; the height follows. 0: as many px as logical pixels */
    const char *unit;         /* "cm", "mm", "in", "pt", "px" */
    const char *title;        /* names the picture, not drawn; NULL: none */
    const PictureText *texts; /* [text_count]: how it was made, as in a PNG */
    int text_count;
} SvgPage;

typedef struct Svg Svg;

/* The scale at which texts are measured: large enough that font hinting, which viewers do not
 * share, makes no difference. */
#define SVG_SCALE 4.0F

/* Begins a picture on `stream`; stream, page and renderer are borrowed. NULL with *error for lack
 * of memory. Free with svg_free, which does not end the picture. */
Svg *svg_make(FILE *stream, const SvgPage *page, TextRenderer *text, Error *error);
void svg_free(Svg *svg); /* NULL is fine */

/* Belongs to the SVG. */
Canvas *svg_canvas(Svg *svg);

/* Ends the picture. False with *error if drawing failed or the stream did. */
bool svg_end(Svg *svg, Error *error);

#endif
