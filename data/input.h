/* A file read whole into memory. */
#ifndef HEADSCOPE_DATA_INPUT_H
#define HEADSCOPE_DATA_INPUT_H

#include <stddef.h>

#include "model/error.h"

/* All of a regular file of at most `most` bytes, a 0 after them: no parser runs off it. Free
 * *bytes. *error names the path and the reason, and *bytes is NULL. */
bool input_read(unsigned char **bytes, size_t *size, const char *path, size_t most, Error *error);

#endif
