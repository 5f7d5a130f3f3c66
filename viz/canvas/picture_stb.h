/* The pixels of a picture as a PNG, written by stb_image_write with libdeflate as its compressor.
 */
#ifndef HEADSCOPE_VIZ_CANVAS_PICTURE_STB_H
#define HEADSCOPE_VIZ_CANVAS_PICTURE_STB_H

#include "model/base/error.h"
#include "viz/canvas/surface.h"

/* The surface as a whole PNG: signature, IHDR (8 bits, RGB), one IDAT, IEND. Meanwhile it takes as
 * much memory again as the surface, and the size of the PNG. NULL with *error where memory ends,
 * and for more than 2^30 bytes of pixels: stb_image_write counts in ints. Free with
 * picture_stb_free. */
unsigned char *picture_stb_png(const Surface *surface, size_t *size, Error *error);
void picture_stb_free(unsigned char *png); /* NULL is fine */

#endif
