/* Opens files for reading. Only regular files: a pipe or device may never end, or never begin. */
#ifndef HEADSCOPE_DATA_FILES_INPUT_H
#define HEADSCOPE_DATA_FILES_INPUT_H

#include <stddef.h>

#include "model/base/error.h"

typedef struct Input {
    int descriptor;
    size_t size;
    const char *path; /* the caller's */
} Input;

/* Opens a regular file. *error names the path and the reason. */
bool input_open(Input *input, const char *path, Error *error);

/* Reads the next `count` bytes. */
bool input_take(Input *input, void *bytes, size_t count, Error *error);
void input_close(Input *input);

/* Reads a whole regular file of at most `max` bytes and adds a terminating 0. Free *bytes. On
 * failure *error names the path and the reason, and *bytes is NULL. */
bool input_read(unsigned char **bytes, size_t *size, const char *path, size_t max, Error *error);

/* Reads the first bytes of a regular file, at most `max`; *size is their number. */
bool input_begin(unsigned char *bytes, size_t *size, const char *path, size_t max, Error *error);

#endif
