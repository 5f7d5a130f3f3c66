/* Pictures as PNG in memory, with texts in them that say how they were made. Writing the file is
 * the caller's. */
#ifndef HEADSCOPE_VIZ_PNG_H
#define HEADSCOPE_VIZ_PNG_H

#include "model/error.h"
#include "viz/png_stream.h"
#include "viz/surface.h"

#include <stddef.h>

/* One text of a picture: `headscope:command`, ... */
typedef struct PngText {
    const char *keyword; /* 1 to 79 printable ASCII characters, no space at the ends */
    const char *text;    /* UTF-8 */
} PngText;

/* A picture whose rows come a few at a time. {0} is one that has not begun. */
typedef struct Png {
    PngStream stream;
} Png;

/* False with *error for lack of memory. */
bool png_begin(Png *png, int width, int height, Error *error);
void png_add(Png *png, const Surface *surface); /* all rows of the surface */

/* As png_encode, once all rows were added. */
bool png_end(Png *png, const PngText *texts, int count, unsigned char **bytes, size_t *size,
             Error *error);
void png_free(Png *png); /* {0} is fine */

/* The surface as an RGB PNG, the texts right behind its header: as tEXt,
 * or as iTXt where a text is more than ASCII. The same input gives the same bytes. *bytes is new
 * (free it). False with *error for a bad keyword or lack of memory. */
bool png_encode(const Surface *surface, const PngText *texts, int count, unsigned char **bytes,
                size_t *size, Error *error);

/* The texts read from a PNG. */
typedef struct PngTexts {
    PngText *items; /* [count], owned, with the strings they point to */
    int count;
} PngTexts;

/* Reads all tEXt and uncompressed iTXt chunks (Latin-1 becomes UTF-8; compressed ones are passed
 * over). False with *error (and nothing to free) where the bytes are no PNG, are cut short, or a
 * checksum is wrong. */
bool png_read_texts(const unsigned char *bytes, size_t size, PngTexts *texts, Error *error);
void png_texts_free(PngTexts *texts); /* leaves it empty; {0} is fine */

/* The text of the first such keyword, NULL if there is none. */
const char *png_text_find(const PngTexts *texts, const char *keyword);

#endif
