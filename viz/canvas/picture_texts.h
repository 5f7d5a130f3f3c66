/* The texts that a picture carries to say how it was made, and reading them from a PNG. */
#ifndef HEADSCOPE_VIZ_CANVAS_PICTURE_TEXTS_H
#define HEADSCOPE_VIZ_CANVAS_PICTURE_TEXTS_H

#include "model/base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* One text of a picture: `headscope:command`, ... */
typedef struct PictureText {
    const char *keyword; /* 1 to 79 printable ASCII characters, no space at the ends */
    const char *text;    /* UTF-8 */
} PictureText;

/* The texts read from a PNG. */
typedef struct PictureTexts {
    PictureText *items; /* [count], owned, with the strings they point to */
    int count;
} PictureTexts;

/* Reads all tEXt and uncompressed iTXt chunks (Latin-1 becomes UTF-8) and skips compressed ones.
 * False with *error (and nothing to free) if the bytes are not a PNG or cut short, a checksum is
 * wrong, or memory ends. */
bool picture_texts_read(const unsigned char *bytes, size_t size, PictureTexts *texts, Error *error);
void picture_texts_free(PictureTexts *texts); /* leaves it empty; {0} is fine */

/* The text of the first such keyword, NULL if there is none. */
const char *picture_texts_find(const PictureTexts *texts, const char *keyword);

#endif
