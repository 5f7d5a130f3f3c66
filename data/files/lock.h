/* A lock that keeps two processes from writing the same files for hours: it stands beside what it
 * guards as `PATH.lock` and ends with the process that holds it, however that ends. */
#ifndef HEADSCOPE_DATA_FILES_LOCK_H
#define HEADSCOPE_DATA_FILES_LOCK_H

#include "model/base/error.h"

typedef struct Lock {
    char *path; /* NULL: not taken */
    int file;
} Lock;

/* Takes the lock of `path`. False with *error if a process has it, which is then named, or if the
 * file cannot be made. Where the file system knows no locks it is taken all the same. */
bool lock_take(Lock *lock, const char *path, Error *error);

/* Gives it back and removes its file. {0} is fine. */
void lock_release(Lock *lock);

#endif
