/* A font file, and that file opened at one size, which renders texts. HarfBuzz shapes (chooses and
 * places glyphs); FreeType draws. Hinting is vertical only and glyphs have subpixel positions along
 * the line, so that widths are proportional at every size. */
#ifndef HEADSCOPE_VIZ_TEXT_FONT_H
#define HEADSCOPE_VIZ_TEXT_FONT_H

#include "model/base/error.h"
#include "viz/text/script.h"
#include "viz/text/text_image.h"

#include <ft2build.h>
#include FT_FREETYPE_H

#include <stddef.h>

typedef struct FontFile FontFile;
typedef struct Font Font;

/* The font of a file, `index` within a collection. `library` is borrowed. NULL with *error if it
 * cannot be read as a font that can be scaled. Free with font_file_close, after its sizes. */
FontFile *font_file_open(FT_Library library, const char *path, long index, Error *error);
void font_file_close(FontFile *file); /* NULL is fine */

bool font_file_has(const FontFile *file, uint32_t code_point);

/* The file at a size in device pixels, at least 1. Borrows `file`. NULL with *error. */
Font *font_open(FontFile *file, int pixels, Error *error);
void font_close(Font *font); /* NULL is fine */

/* A run of a text that one font draws: UTF-8 of one script and one direction. */
typedef struct FontText {
    const char *whole; /* the text around it: letters also join across a change of font */
    const char *start; /* within it */
    size_t length;     /* bytes */
    Script script;
    bool backwards; /* from right to left */
} FontText;

/* Renders a run into *image, whose coverage is new (free it). It is at least as high as the font.
 * Joiners and the like alone have a width of 0. False with *error. */
bool font_render(Font *font, const FontText *text, TextImage *image, Error *error);

#endif
