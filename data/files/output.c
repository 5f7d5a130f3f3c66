#define _XOPEN_SOURCE 700 /* S_ISVTX: POSIX, but glibc declares it only with X/Open */

#include "data/files/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/files/beside.h"

enum { NO_FILE = -1, MAX_ATTEMPTS = 100 };

static void output_clear(Output *output) {
    if (output->path && output->lock != NO_FILE) close(output->lock);
    free(output->path);
    free(output->part);
    *output = (Output){0};
}

static bool cannot(const char *path, int reason, Error *error) {
    return error_set(error, "%s: cannot be written: %s", path, strerror(reason));
}

/* --- targets ---------------------------------------------------------------------------------- */

/* The open descriptor that a name stands for; NO_FILE if it stands for none. */
static int named_descriptor(const char *path) {
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "/dev/stdout") == 0) return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0) return STDERR_FILENO;
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(folders[i]), digits = 0;
        if (strncmp(path, folders[i], length) == 0) digits = strspn(path + length, "0123456789");
        if (digits > 0 && digits < 6 && !path[length + digits]) return atoi(path + length);
    }
    return NO_FILE;
}

bool output_is_device(const char *path) {
    struct stat status;
    return named_descriptor(path) != NO_FILE ||
           (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode));
}

static bool is_writable_name(const char *path, Error *error) {
    struct stat status;
    if (!path[0]) return error_set(error, "the file's name is empty; name a file");
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return error_set(error, "%s: is a folder; name a file", path);
    return true;
}

/* True if a rename may replace this file: in a sticky folder such as /tmp only its owner may. */
static bool may_replace(const char *target, const struct stat *status) {
    struct stat folder;
    const char *slash = strrchr(target, '/');
    char *name = !slash ? strdup(".") : strndup(target, (size_t)(slash - target) + 1);
    bool sticky = name && stat(name, &folder) == 0 && (folder.st_mode & S_ISVTX);
    uid_t user = geteuid();
    free(name);
    return !sticky || user == 0 || user == status->st_uid || user == folder.st_uid;
}

/* Copies the permissions of the file that is replaced. Where its group cannot be kept, the new
 * group gets no more than others. */
static void keep_permissions(int file, const struct stat *old) {
    mode_t mode = old->st_mode & 0777;
    bool kept =
        fchown(file, old->st_uid, old->st_gid) == 0 || fchown(file, (uid_t)-1, old->st_gid) == 0;
    if (!kept) {
        struct stat status;
        kept = fstat(file, &status) == 0 && status.st_gid == old->st_gid;
    }
    if (!kept) mode = (mode & ~(mode_t)070) | ((mode & 07) << 3 & mode);
    (void)!fchmod(file, mode);
}

/* --- beginning -------------------------------------------------------------------------------- */

static bool begin_device(Output *output, const char *path, Error *error) {
    int descriptor = named_descriptor(path);
    output->device = true;
    output->path = descriptor == NO_FILE ? beside_target(path) : strdup(path);
    if (!output->path) return cannot(path, errno, error);
    fflush(stdout); /* what was printed comes first */
    int file = descriptor == NO_FILE ? open(path, O_WRONLY | O_CLOEXEC)
                                     : fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    output->stream = file < 0 ? NULL : fdopen(file, "wb");
    if (output->stream) return true;
    int reason = errno;
    if (file >= 0) close(file);
    return cannot(path, reason, error);
}

/* Creates a partial file under an unused name and locks it. A descriptor, or NO_FILE with errno. */
static int open_part(Output *output, mode_t mode) {
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        free(output->part);
        output->part = beside_part(output->path, attempt);
        if (!output->part) return NO_FILE;
        int file = open(output->part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (file < 0 && errno != EEXIST) return NO_FILE;
        if (file < 0) continue;
        struct stat status;
        /* A file system without locks will do; partial files are then not cleaned up. */
        if (beside_lock(file, output->part) ||
            (errno != EWOULDBLOCK && fstat(file, &status) == 0 && status.st_nlink > 0))
            return file;
        close(file);
    }
    errno = EEXIST;
    return NO_FILE;
}

static bool begin_file(Output *output, const char *path, Error *error) {
    struct stat old;
    output->path = beside_target(path);
    if (!output->path) return cannot(path, errno, error);
    bool exists = stat(output->path, &old) == 0;
    if (!exists && errno != ENOENT) return cannot(path, errno, error);
    if (exists && access(output->path, W_OK) != 0) return cannot(path, errno, error);
    if (exists && !may_replace(output->path, &old)) return cannot(path, EPERM, error);
    beside_clean(output->path);
    int file = open_part(output, exists ? 0600 : 0666);
    if (file == NO_FILE) return cannot(path, errno, error);
    if (exists) keep_permissions(file, &old);
    output->lock = fcntl(file, F_DUPFD_CLOEXEC, 0);
    output->stream = output->lock < 0 ? NULL : fdopen(file, "wb");
    if (output->stream) return true;
    int reason = errno;
    close(file);
    unlink(output->part);
    return cannot(path, reason, error);
}

bool output_begin(Output *output, const char *path, Error *error) {
    *output = (Output){.lock = NO_FILE};
    bool begun =
        is_writable_name(path, error) && (output_is_device(path) ? begin_device(output, path, error)
                                                                 : begin_file(output, path, error));
    if (!begun) output_clear(output);
    return begun;
}

bool output_possible(const char *path, Error *error) {
    if (!is_writable_name(path, error)) return false;
    if (named_descriptor(path) != NO_FILE) return true;
    if (output_is_device(path)) return access(path, W_OK) == 0 || cannot(path, errno, error);
    Output output;
    if (!output_begin(&output, path, error)) return false;
    output_abandon(&output);
    return true;
}

FILE *output_stream(const char *path, bool append, Error *error) {
    if (!is_writable_name(path, error)) return NULL;
    int descriptor = named_descriptor(path);
    int file =
        descriptor != NO_FILE
            ? fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
            : open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC), 0666);
    FILE *stream = file < 0 ? NULL : fdopen(file, append ? "a" : "w");
    if (stream) return stream;
    cannot(path, errno, error);
    if (file >= 0) close(file);
    return NULL;
}

/* --- ending ----------------------------------------------------------------------------------- */

/* The errno of a failed write. The stream only records that it failed, so one more byte is written
 * to fail the same way. */
static int failure_reason(FILE *stream) {
    int file = fileno(stream);
    errno = 0;
    if (lseek(file, 0, SEEK_END) < 0 && errno != ESPIPE) return EIO;
    return write(file, " ", 1) == 1 ? EIO : errno;
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
        cannot(output->path, reason, error);
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
