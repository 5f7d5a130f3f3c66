/* The one way to write a file. It is written whole or not at all: it grows beside its place under
 * another name and is renamed when all of it is written. Whatever fails, an earlier file stays and
 * nothing half-written does.
 *
 * What is replaced: a file keeps its permissions, and where it may, its owner and group; one that
 * is write-protected is refused. A symbolic link stays and what it points to is written, also where
 * that does not exist yet. A device or a pipe is written into; /dev/stdout, /dev/stderr and
 * /dev/fd/N mean the open descriptor, wherever it leads.
 *
 * The other name (data/files/beside.h) is the file's own with `.headscope-PID-N.part` behind it. It
 * is made anew, never opened, and locked until it is renamed; such files of the same target that no
 * living run has locked were left by a run that was killed, and are removed. */
#ifndef HEADSCOPE_DATA_FILES_OUTPUT_H
#define HEADSCOPE_DATA_FILES_OUTPUT_H

#include <stdio.h>

#include "model/base/error.h"

typedef struct Output {
    FILE *stream; /* write here; failures are found by output_commit */
    char *path, *part;
    int lock;     /* a second descriptor of `part`, which keeps it locked until it is renamed */
    bool device;  /* a device or a pipe (/dev/null) is written into: it must not be replaced */
    bool lasting; /* set it for what cannot be made again: output_commit waits until it is on disk,
                     so that it outlasts a loss of power; that takes longer than drawing a sheet */
} Output;

/* Begins a file. *error names the path and the reason. A pipe without a reader is waited for. */
bool output_begin(Output *output, const char *path, Error *error);

/* Puts the file in its place. On failure (a full disk) nothing is left of it. Ends `output`. */
bool output_commit(Output *output, Error *error);

/* Gives the file up. {0} is fine. */
void output_abandon(Output *output);

/* All of a file in one call. */
bool output_write(const char *path, const void *bytes, size_t size, Error *error);

/* Whether output_begin would find a place for the file, for those who would rather know before the
 * work than after it. Nothing is left there. A device or a pipe is not opened. */
bool output_possible(const char *path, Error *error);

/* Whether `path` is a device or a pipe, or names an open descriptor. */
bool output_is_device(const char *path);

/* A file that is read while it grows, such as a log, and so is written in place: made anew, or with
 * `append` gone on with. Close it with fclose. NULL with *error. */
FILE *output_stream(const char *path, bool append, Error *error);

#endif
