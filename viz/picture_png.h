/* Pictures as PNG in memory, with texts in them that say how they were made. Writing the file is
 * the caller's. */
#ifndef HEADSCOPE_VIZ_PICTURE_PNG_H
#define HEADSCOPE_VIZ_PICTURE_PNG_H

#include "model/error.h"
#include "viz/picture_rows.h"
#include "viz/picture_texts.h"
#include "viz/surface.h"

#include <stddef.h>

/* A picture whose rows come a few at a time. {0} is one that has not begun. */
typedef struct PicturePng {
    PictureRows stream;
} PicturePng;

/* False with *error for lack of memory. */
bool picture_png_begin(PicturePng *png, int width, int height, Error *error);
void picture_png_add(PicturePng *png, const Surface *surface); /* all rows of the surface */

/* As picture_png_encode, once all rows were added. */
bool picture_png_end(PicturePng *png, const PictureText *texts, int count, unsigned char **bytes,
                     size_t *size, Error *error);
void picture_png_free(PicturePng *png); /* {0} is fine */

/* The surface as an RGB PNG, the texts right behind its header: as tEXt,
 * or as iTXt where a text is more than ASCII. The same input gives the same bytes. *bytes is new
 * (free it). False with *error for a bad keyword or lack of memory. */
bool picture_png_encode(const Surface *surface, const PictureText *texts, int count,
                        unsigned char **bytes, size_t *size, Error *error);

#endif
