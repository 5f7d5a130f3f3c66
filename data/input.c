#include "data/input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool input_read(unsigned char **bytes, size_t *size, const char *path, size_t most, Error *error) {
    struct stat status;
    *bytes = NULL;
    if (stat(path, &status) != 0)
        return error_set(error, "%s: cannot be opened: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode)) return error_set(error, "%s: is no regular file", path);
    *size = (size_t)status.st_size;
    if (*size > most)
        return error_set(error, "%s: %zu bytes; at most %zu are read", path, *size, most);
    FILE *stream = fopen(path, "rb");
    if (!stream) return error_set(error, "%s: cannot be opened: %s", path, strerror(errno));
    *bytes = calloc(*size + 1, 1);
    bool read = *bytes && fread(*bytes, 1, *size, stream) == *size;
    fclose(stream);
    if (read) return true;
    error_set(error, "%s: cannot be read: %s", path,
              *bytes ? "input/output error" : "out of memory");
    free(*bytes);
    *bytes = NULL;
    return false;
}
