/* Numbers and texts as an SVG holds them. For svg's own files. */
#ifndef HEADSCOPE_VIZ_SVG_TEXT_H
#define HEADSCOPE_VIZ_SVG_TEXT_H

#include <stdio.h>

/* To a thousandth, with a point in any locale, and no more digits than it needs. */
void svg_put_number(FILE *stream, double number);

/* UTF-8 with &, <, > and quotes escaped; control characters, those of writing direction among them,
 * are left out, and what is no UTF-8 becomes U+FFFD. After each stretch of a right-to-left script
 * that something follows stands a left-to-right mark (U+200E), so that all stretches go from left
 * to right, as in viz/text.h. */
void svg_put_text(FILE *stream, const char *text);

#endif
