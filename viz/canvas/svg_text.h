/* Numbers and texts as an SVG holds them. For svg's own files. */
#ifndef HEADSCOPE_VIZ_CANVAS_SVG_TEXT_H
#define HEADSCOPE_VIZ_CANVAS_SVG_TEXT_H

#include <stdio.h>

/* To a thousandth, with a point in any locale, and no more digits than it needs. */
void svg_put_number(FILE *stream, double number);

/* UTF-8 with &, <, > and quotes escaped; control characters, embeddings, overrides and isolates are
 * left out, and what is no UTF-8 becomes U+FFFD. A part that holds right-to-left characters
 * stands in an isolate (U+2068, U+2069), so that a viewer orders it as a raster does
 * (viz/text/bidi.h).
 */
void svg_put_text(FILE *stream, const char *text);

#endif
