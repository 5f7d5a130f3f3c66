/* The rows of a picture as PNG keeps them: filtered and deflated. */
#ifndef HEADSCOPE_VIZ_PNG_ROWS_H
#define HEADSCOPE_VIZ_PNG_ROWS_H

#include "viz/surface.h"

#include <stdbool.h>

/* The zlib stream of all rows, each behind the number of its filter (PNG 1.2, sections 6 and 10).
 * *bytes is new (free it); false for lack of memory. */
bool png_rows(const Surface *surface, unsigned char **bytes, size_t *size);

#endif
