/* One font: its file, which FreeType and HarfBuzz read, and that file at one size, which makes
 * pictures of texts. HarfBuzz shapes (which glyphs, where); FreeType draws. Stems are fitted to the
 * rows of pixels alone, and glyphs stand at parts of a pixel along a line, so that widths stay true
 * at every size. */
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

/* A stretch of a text that one font draws: UTF-8 of one script and one direction. */
typedef struct FontText {
    const char *whole; /* the text that it is of: letters that join do so across a change of font */
    const char *start; /* within it */
    size_t length;     /* bytes */
    Script script;
    bool backwards; /* from right to left */
} FontText;

/* The picture of such a stretch. It is as high as the font and higher where glyphs are; its
 * coverage is new (free it). Joiners and the like alone have a width of 0. False with *error. */
bool font_render(Font *font, const FontText *text, TextImage *image, Error *error);

#endif
