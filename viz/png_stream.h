/* The rows of a picture, a few at a time, as the zlib stream that PNG keeps (PNG 1.2, section 10).
 */
#ifndef HEADSCOPE_VIZ_PNG_STREAM_H
#define HEADSCOPE_VIZ_PNG_STREAM_H

#include "viz/surface.h"

#include <stdbool.h>

/* {0} is one that has not begun. */
typedef struct PngStream {
    struct PngRows *parts[2]; /* NULL until needed */
    unsigned char *above;     /* [3 * width] the last row */
    int width, rows;
    unsigned char *bytes;
    size_t size, room;
    unsigned long adler;
} PngStream;

/* False for lack of memory, as the next two. */
bool png_stream_begin(PngStream *stream, int width);

/* The next rows, as many as the surface has. Many of them are worked on by two threads. */
bool png_stream_add(PngStream *stream, const Surface *surface);

/* Ends it: stream->bytes [stream->size] is the whole. */
bool png_stream_end(PngStream *stream);

void png_stream_free(PngStream *stream); /* with its bytes */

#endif
