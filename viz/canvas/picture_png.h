/* Pictures as PNG in memory, with texts in them that say how they were made. Writing the file is
 * the caller's. */
#ifndef HEADSCOPE_VIZ_CANVAS_PICTURE_PNG_H
#define HEADSCOPE_VIZ_CANVAS_PICTURE_PNG_H

#include "model/base/error.h"
#include "viz/canvas/picture_texts.h"
#include "viz/canvas/surface.h"

#include <stdbool.h>
#include <stddef.h>

/* The surface as an RGB PNG (picture_stb.h), the texts right behind its header: as tEXt, or as iTXt
 * where a text is more than ASCII. The same input gives the same bytes. *bytes is new
 * (free it). False with *error for a bad keyword, lack of memory, or 2^30 bytes of pixels and more.
 */
bool picture_png_encode(const Surface *surface, const PictureText *texts, int count,
                        unsigned char **bytes, size_t *size, Error *error);

#endif
