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

bool output_begin(Output *output, const char *path, Error *error) {
    *output = (Output){0};
    struct stat status;
    bool exists = stat(path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode))
        return error_set(error, "%s: is a folder; name a file", path);
    output->device = exists && !S_ISREG(status.st_mode);
    size_t size = strlen(path) + 32;
    output->path = malloc(size);
    output->part = malloc(size);
    if (!output->path || !output->part) {
        output_clear(output);
        return error_set(error, "%s: out of memory", path);
    }
    snprintf(output->path, size, "%s", path);
    /* The process id keeps two runs that write the same file apart. */
    if (output->device)
        snprintf(output->part, size, "%s", path);
    else
        snprintf(output->part, size, "%s.%ld.part", path, (long)getpid());
    output->stream = fopen(output->part, "wb");
    if (output->stream) return true;
    error_set(error, "%s: cannot be written: %s", path, strerror(errno));
    output_clear(output);
    return false;
}

bool output_commit(Output *output, Error *error) {
    errno = 0;
    bool written = !ferror(output->stream) && fflush(output->stream) == 0 &&
                   (output->device || fsync(fileno(output->stream)) == 0);
    int reason = errno;
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
        error_set(error, "%s: cannot be written: %s", output->path,
                  reason ? strerror(reason) : "input/output error");
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
