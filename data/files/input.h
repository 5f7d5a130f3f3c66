/* Files opened for reading: regular ones alone, so that a pipe or a device that gives bytes without
 * end, or none, is refused at once. */
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

/* The next `count` bytes of it. */
bool input_take(Input *input, void *bytes, size_t count, Error *error);
void input_close(Input *input);

/* All of a regular file of at most `most` bytes, a 0 after them: no parser runs off it. Free
 * *bytes. *error names the path and the reason, and *bytes is NULL. */
bool input_read(unsigned char **bytes, size_t *size, const char *path, size_t most, Error *error);

/* The first bytes of a regular file, at most `most`; *size is how many. */
bool input_begin(unsigned char *bytes, size_t *size, const char *path, size_t most, Error *error);

#endif
