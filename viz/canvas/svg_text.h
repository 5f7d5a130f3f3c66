/* Numbers and texts as an SVG holds them. Internal to svg.c. */
#ifndef HEADSCOPE_VIZ_CANVAS_SVG_TEXT_H
#define HEADSCOPE_VIZ_CANVAS_SVG_TEXT_H

#include <stdio.h>

/* Rounded to a thousandth, with a point in any locale and no trailing zeros. */
void svg_put_number(FILE *stream, double number);

/* UTF-8 with &, <, > and quotes escaped. Control characters, embeddings, overrides and isolates are
 * left out; invalid UTF-8 becomes U+FFFD. A part with right-to-left characters is wrapped in an
 * isolate (U+2068, U+2069), so that viewers order it as the raster does (viz/text/bidi.h). */
void svg_put_text(FILE *stream, const char *text);

#endif
