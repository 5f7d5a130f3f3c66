/* The bytes of a file's arrays, read in blocks into one buffer. Where a page fault is dear, that is
 * several times cheaper than touching as many pages of the mapping (bench/RESULTS.md). */
#ifndef HEADSCOPE_DATA_ARRAYS_ARRAY_WINDOW_H
#define HEADSCOPE_DATA_ARRAYS_ARRAY_WINDOW_H

#include "data/arrays/arrays.h"

typedef struct ArrayWindow {
    const Arrays *file;   /* not owned */
    unsigned char *bytes; /* owned; NULL until something was read */
    size_t room;
    size_t first, past; /* which bytes of the file they are */
} ArrayWindow;

/* Where `size` bytes from `at` on, which is part of an array's bytes, can be read until the next
 * call of the same window. What is unpacked, or no mapped file, is given as it lies; so are more
 * than ARRAY_WINDOW_MAX bytes, and what cannot be read. Bytes of a file that was cut since it was
 * opened are 0xFF: as floating-point numbers, NaNs. Reads on where the next call is likely to be,
 * behind these. */
enum { ARRAY_WINDOW_MAX = 1 << 22 };
const unsigned char *array_window_at(ArrayWindow *window, const unsigned char *at, size_t size);

void array_window_free(ArrayWindow *window); /* {0} is fine; `file` stays */

#endif
