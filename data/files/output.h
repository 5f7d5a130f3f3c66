/* The only way to write a file, all or nothing: it is written to a partial file beside its place,
 * which is renamed when complete. On failure an earlier file stays and the partial file is removed.
 *
 * A file that is replaced keeps its permissions and, where allowed, its owner and group; a
 * write-protected file is refused. A symbolic link stays: its target is written, and created if
 * missing. Devices and pipes are written directly; /dev/stdout, /dev/stderr and /dev/fd/N mean the
 * open descriptor.
 *
 * The partial file (data/files/beside.h) is named like the file with `.headscope-PID-N.part`
 * appended. It is always a new file, locked until it is renamed. Unlocked partial files of the same
 * target were left by killed processes and are removed. */
#ifndef HEADSCOPE_DATA_FILES_OUTPUT_H
#define HEADSCOPE_DATA_FILES_OUTPUT_H

#include <stdio.h>

#include "model/base/error.h"

typedef struct Output {
    FILE *stream; /* write here; failures are found by output_commit */
    char *path, *part;
    int lock;     /* a second descriptor of `part`, which keeps it locked until it is renamed */
    bool device;  /* a device or a pipe (/dev/null), which must not be replaced */
    bool lasting; /* set it for what cannot be made again: output_commit waits until the file is on
                     disk and survives a loss of power; slow */
} Output;

/* Opens a file. *error names the path and the reason. Waits for the reader of a pipe. */
bool output_begin(Output *output, const char *path, Error *error);

/* Moves the file into place. On failure (a full disk) it is removed. Ends `output`. */
bool output_commit(Output *output, Error *error);

/* Discards the file. {0} is fine. */
void output_abandon(Output *output);

/* Writes a whole file. */
bool output_write(const char *path, const void *bytes, size_t size, Error *error);

/* True if output_begin would succeed: checks before long work starts. Leaves no file. A device or a
 * pipe is not opened. */
bool output_possible(const char *path, Error *error);

/* True if `path` is a device or a pipe, or names an open descriptor. */
bool output_is_device(const char *path);

/* Opens a file that is read while it grows, such as a log, and so is written in place: truncated,
 * or continued if `append`. Close it with fclose. NULL with *error. */
FILE *output_stream(const char *path, bool append, Error *error);

#endif
