/* Renders texts to coverage and caches them: the same few tokens are drawn many times. A character
 * is drawn with the main font or, if that lacks it, any font of the system that has it, or else as
 * a box with its code point. Characters are in visual order (viz/text/bidi.h). */
#ifndef HEADSCOPE_VIZ_TEXT_TEXT_H
#define HEADSCOPE_VIZ_TEXT_TEXT_H

#include "model/base/error.h"
#include "viz/text/text_image.h"

typedef struct TextRenderer TextRenderer;

/* Finds the fonts. NULL with *error if the system has none. Free with text_free. */
TextRenderer *text_make(Error *error);
void text_free(TextRenderer *renderer); /* NULL is fine */

/* The picture of a UTF-8 text (on one line) at a font size in device pixels, at least 1. Belongs to
 * the renderer and is valid until the next call. NULL with *error if a font cannot be read or
 * memory ends. */
const TextImage *text_image(TextRenderer *renderer, const char *text, int pixels, bool bold,
                            Error *error);

#endif
