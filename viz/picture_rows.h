/* The rows of a picture, a few at a time, as the zlib stream that PNG keeps (PNG 1.2, section 10).
 */
#ifndef HEADSCOPE_VIZ_PICTURE_ROWS_H
#define HEADSCOPE_VIZ_PICTURE_ROWS_H

#include "viz/surface.h"

#include <stdbool.h>
#include <stddef.h>

/* {0} is one that has not begun. */
typedef struct PictureRows {
    int width, height;
    int rows;                /* added so far */
    unsigned char *filtered; /* [height, 1 + 3*width] */
    unsigned char *above;    /* [3*width] the last row */
    unsigned char *bytes;    /* of the ended stream */
    size_t size;
} PictureRows;

/* For so many pixels. False for lack of memory, as the next two. */
bool picture_rows_begin(PictureRows *stream, int width, int height);

/* The next rows, as many as the surface has. */
void picture_rows_add(PictureRows *stream, const Surface *surface);

/* Compresses them once all are there: stream->bytes [stream->size] is the whole. */
bool picture_rows_end(PictureRows *stream);

void picture_rows_free(PictureRows *stream); /* with its bytes */

#endif
