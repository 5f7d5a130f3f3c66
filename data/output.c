#define _XOPEN_SOURCE 700 /* realpath: POSIX, but glibc declares it only with X/Open */

#include "data/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void output_clear(Output *output) {
    free(output->path);
    free(output->part);
    *output = (Output){0};
}

/* The path to write to: where it is a symbolic link, what that points to, so that the link stays. A
 * new string, NULL for lack of memory. */
static char *resolve(const char *path) {
    char *target = realpath(path, NULL);
    return target ? target : strdup(path);
}

bool output_begin(Output *output, const char *path, Error *error) {
    *output = (Output){0};
    if (!path[0]) return error_set(error, "the file's name is empty; name a file");
    struct stat status;
    bool exists = stat(path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode))
        return error_set(error, "%s: is a folder; name a file", path);
    output->device = exists && !S_ISREG(status.st_mode);
    output->path = resolve(path);
    size_t size = output->path ? strlen(output->path) + 32 : 1;
    output->part = malloc(size);
    if (!output->path || !output->part) {
        output_clear(output);
        return error_set(error, "%s: out of memory", path);
    }
    /* The process id keeps two runs that write the same file apart. */
    if (output->device)
        snprintf(output->part, size, "%s", output->path);
    else
        snprintf(output->part, size, "%s.%ld.part", output->path, (long)getpid());
    output->stream = fopen(output->part, "wb");
    if (output->stream) return true;
    error_set(error, "%s: cannot be written: %s", path, strerror(errno));
    output_clear(output);
    return false;
}

/* Why writing failed, when the stream only remembers that it did: one more byte meets the same
 * obstacle. */
static int failure_reason(FILE *stream) {
    int file = fileno(stream);
    errno = 0;
    if (lseek(file, 0, SEEK_END) < 0 || write(file, " ", 1) == 1) return EIO;
    return errno;
}

bool output_commit(Output *output, Error *error) {
    bool written = !ferror(output->stream) && fflush(output->stream) == 0;
    int reason = written ? 0 : failure_reason(output->stream);
    if (written && output->lasting && !output->device && fsync(fileno(output->stream)) != 0) {
        written = false;
        reason = errno;
    }
    if (fclose(output->stream) != 0 && written) {
        written = false;
        reason = errno;
    }
    if (written && !output->device && rename(output->part, output->path) != 0) {
        written = false;
        reason = errno;
    }
    if (!written) {
        if (!output->device) unlink(output->part);
        error_set(error, "%s: cannot be written: %s", output->path, strerror(reason));
    }
    output_clear(output);
    return written;
}

void output_abandon(Output *output) {
    if (output->stream) {
        fclose(output->stream);
        if (!output->device) unlink(output->part);
    }
    output_clear(output);
}

bool output_write(const char *path, const void *bytes, size_t size, Error *error) {
    Output output;
    if (!output_begin(&output, path, error)) return false;
    fwrite(bytes, 1, size, output.stream);
    return output_commit(&output, error);
}
