/* A file written whole or not at all: it grows beside its place under another name and is renamed
 * when all of it is written. Whatever fails, an earlier file stays and nothing half-written does.
 */
#ifndef HEADSCOPE_DATA_OUTPUT_H
#define HEADSCOPE_DATA_OUTPUT_H

#include <stdio.h>

#include "model/error.h"

typedef struct Output {
    FILE *stream; /* write here; failures are found by output_commit */
    char *path, *part;
    bool device;  /* a device or a pipe (/dev/null) is written into: it must not be replaced */
    bool lasting; /* set it for what cannot be made again: output_commit waits until it is on disk,
                     so that it outlasts a loss of power; that takes longer than drawing a sheet */
} Output;

/* Begins a file. *error names the path and the reason. */
bool output_begin(Output *output, const char *path, Error *error);

/* Puts the file in its place. On failure (a full disk) nothing is left of it. Ends `output`. */
bool output_commit(Output *output, Error *error);

/* Gives the file up. {0} is fine. */
void output_abandon(Output *output);

/* All of a file in one call. */
bool output_write(const char *path, const void *bytes, size_t size, Error *error);

#endif
