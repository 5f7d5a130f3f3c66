/* Draws one text into a picture of its coverage. */
#ifndef HEADSCOPE_VIZ_TEXT_TEXT_SHAPE_H
#define HEADSCOPE_VIZ_TEXT_TEXT_SHAPE_H

#include "viz/text/fonts.h"
#include "viz/text/text.h"

/* Fills *image (its coverage is new; free it) with `text` at a font size in device pixels. False
 * with *error if a font cannot be read or memory ends; nothing is left to free then. */
bool text_shape(TextImage *image, Fonts *fonts, const char *text, int pixels, bool bold,
                Error *error);

#endif
