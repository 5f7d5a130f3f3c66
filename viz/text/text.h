/* Texts as pictures of their coverage, rendered once and kept: the same few tokens are drawn many
 * times. Each character takes the main font or, where that lacks it, any font of the system that
 * has it; where none has, a box with its code point stands for it.
 * Characters stand in the order of the Unicode bidirectional algorithm, part by part, so that in
 * `a→b` the parts keep their places whatever their scripts are (viz/text/bidi.h). */
#ifndef HEADSCOPE_VIZ_TEXT_TEXT_H
#define HEADSCOPE_VIZ_TEXT_TEXT_H

#include "model/base/error.h"
#include "viz/text/text_image.h"

typedef struct TextRenderer TextRenderer;

/* Finds the fonts. NULL with *error if the system has none. Free with text_free. */
TextRenderer *text_make(Error *error);
void text_free(TextRenderer *renderer); /* NULL is fine */

/* The picture of a UTF-8 text (on one line) at a font size in device pixels, at least 1. Belongs to
 * the renderer and is good until the next call. NULL with *error if a font cannot be read or memory
 * ends. */
const TextImage *text_image(TextRenderer *renderer, const char *text, int pixels, bool bold,
                            Error *error);

#endif
