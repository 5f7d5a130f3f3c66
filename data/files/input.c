#include "data/files/input.h"

#include "model/base/minmax.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* O_NONBLOCK: do not wait for the writer of a pipe. */
bool input_open(Input *input, const char *path, Error *error) {
    struct stat status;
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    *input = (Input){.descriptor = descriptor, .path = path};
    if (descriptor < 0 || fstat(descriptor, &status) != 0) {
        error_set(error, "%s: cannot be opened: %s", path, strerror(errno));
    } else if (!S_ISREG(status.st_mode)) {
        error_set(error, "%s: is no regular file%s", path,
                  S_ISDIR(status.st_mode)    ? " but a folder"
                  : S_ISFIFO(status.st_mode) ? " but a pipe: save it first"
                                             : "");
    } else {
        input->size = (size_t)status.st_size;
        return true;
    }
    input_close(input);
    return false;
}

bool input_take(Input *input, void *bytes, size_t count, Error *error) {
    for (size_t done = 0; done < count;) {
        ssize_t some = read(input->descriptor, (char *)bytes + done, count - done);
        if (some < 0 && errno == EINTR) continue;
        if (some <= 0)
            return error_set(error, "%s: cannot be read: %s", input->path,
                             some < 0 ? strerror(errno) : "it became shorter");
        done += (size_t)some;
    }
    return true;
}

void input_close(Input *input) {
    if (input->descriptor >= 0) close(input->descriptor);
    input->descriptor = -1;
}

bool input_read(unsigned char **bytes, size_t *size, const char *path, size_t max, Error *error) {
    Input input;
    *bytes = NULL;
    if (!input_open(&input, path, error)) return false;
    *size = input.size;
    bool good =
        *size <= max || error_set(error, "%s: %zu bytes; at most %zu are read", path, *size, max);
    if (good) *bytes = calloc(*size + 1, 1);
    if (good && !*bytes) good = error_set(error, "%s: cannot be read: out of memory", path);
    good = good && input_take(&input, *bytes, *size, error);
    input_close(&input);
    if (good) return true;
    free(*bytes);
    *bytes = NULL;
    return false;
}

bool input_begin(unsigned char *bytes, size_t *size, const char *path, size_t max, Error *error) {
    Input input;
    if (!input_open(&input, path, error)) return false;
    *size = size_min(input.size, max);
    bool good = input_take(&input, bytes, *size, error);
    input_close(&input);
    return good;
}
