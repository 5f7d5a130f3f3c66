#include "data/files/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/files/beside.h"

enum { MAX_ATTEMPTS = 100 };

static bool refuse(const char *path, int file, Error *error) {
    char process[24] = "";
    ssize_t length = pread(file, process, sizeof process - 1, 0);
    size_t digits = strspn(process, "0123456789");
    if (length > 0 && digits > 0)
        return error_set(error, "%s: process %.*s is writing it; wait for its end", path,
                         (int)digits, process);
    return error_set(error, "%s: another process is writing it; wait for its end", path);
}

/* Writes the process id for the message of a process that finds the file locked. */
static void write_process(int file) {
    char text[24];
    int length = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (ftruncate(file, 0) == 0) (void)!pwrite(file, text, (size_t)length, 0);
}

static bool is_removed(int file) {
    struct stat status;
    return fstat(file, &status) == 0 && status.st_nlink == 0;
}

/* Tries again if the last owner removed the file between our opening and locking it. */
static bool take(Lock *lock, const char *path, Error *error) {
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        int file = open(lock->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
        if (file < 0)
            return error_set(error, "%s: cannot be written: %s", lock->path, strerror(errno));
        errno = 0;
        bool locked = beside_lock(file, lock->path), held = !locked && errno == EWOULDBLOCK;
        if (locked || (!held && !is_removed(file))) {
            lock->file = file;
            write_process(file);
            return true;
        }
        if (held) refuse(path, file, error);
        close(file);
        if (held) return false;
    }
    return error_set(error, "%s: other processes take it again and again", lock->path);
}

bool lock_take(Lock *lock, const char *path, Error *error) {
    char *target = beside_target(path);
    *lock = (Lock){.path = target ? beside_name(target, ".lock") : NULL};
    free(target);
    if (!lock->path) return error_set(error, "%s: cannot be written: %s", path, strerror(errno));
    if (take(lock, path, error)) return true;
    free(lock->path);
    *lock = (Lock){0};
    return false;
}

void lock_release(Lock *lock) {
    if (!lock->path) return;
    unlink(lock->path);
    close(lock->file);
    free(lock->path);
    *lock = (Lock){0};
}
