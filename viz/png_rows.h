/* Some rows of a picture as PNG keeps them: filtered and deflated. */
#ifndef HEADSCOPE_VIZ_PNG_ROWS_H
#define HEADSCOPE_VIZ_PNG_ROWS_H

#include "viz/surface.h"

#include <stdbool.h>

typedef struct PngRows PngRows;

/* For rows of so many pixels, 1 to 32767. NULL for lack of memory. Free with png_rows_free. */
PngRows *png_rows_make(int width);
void png_rows_free(PngRows *rows); /* NULL is fine */

/* The surface's rows first .. end, each behind the number of its filter (PNG 1.2, section 6), as a
 * part of a deflate stream that ends at a whole byte (DEFLATER_END ends the stream). `above` is the
 * row above the first one, NULL at the top of a picture. What was put before is forgotten. False
 * for lack of memory. */
bool png_rows_put(PngRows *rows, const Surface *surface, int first, int end,
                  const unsigned char *above);

/* What became of them; good until the next call. */
typedef struct PngRowsResult {
    const unsigned char *bytes;
    size_t size;
    size_t written; /* bytes before deflating ... */
    uint32_t adler; /* ... and their checksum (RFC 1950) */
} PngRowsResult;
PngRowsResult png_rows_result(const PngRows *rows);

#endif
