/* A lock file, `PATH.lock`, keeps two processes from writing the same files. It is released when
 * the process ends, even if it is killed. */
#ifndef HEADSCOPE_DATA_FILES_LOCK_H
#define HEADSCOPE_DATA_FILES_LOCK_H

#include "model/base/error.h"

typedef struct Lock {
    char *path; /* NULL: not locked */
    int file;
} Lock;

/* Locks `path`. False if another process holds the lock (*error names it) or if the lock file
 * cannot be created. On a file system without locks it always succeeds. */
bool lock_take(Lock *lock, const char *path, Error *error);

/* Unlocks and removes the lock file. {0} is fine. */
void lock_release(Lock *lock);

#endif
