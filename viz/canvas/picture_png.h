/* Pictures as PNG in memory, with texts that say how they were made, written by stb_image_write
 * with libdeflate as its compressor. The caller writes the file. */
#ifndef HEADSCOPE_VIZ_CANVAS_PICTURE_PNG_H
#define HEADSCOPE_VIZ_CANVAS_PICTURE_PNG_H

#include "viz/canvas/picture_texts.h"
#include "viz/canvas/surface.h"

/* The surface as an 8-bit RGB PNG with the texts right behind its header: as tEXt, or as iTXt where
 * a text is not ASCII. The same input gives the same bytes. *bytes is new (free it). While it runs,
 * it takes as much memory again as the surface, and twice the size of the PNG. False with *error
 * for a bad keyword, lack of memory, or more than 2^30 bytes of pixels: stb_image_write counts in
 * ints.
 */
bool picture_png_encode(const Surface *surface, const PictureText *texts, int count,
                        unsigned char **bytes, size_t *size, Error *error);

#endif
