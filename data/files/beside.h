/* Names of files that stand beside another: what is written before it is renamed, and locks. */
#ifndef HEADSCOPE_DATA_FILES_BESIDE_H
#define HEADSCOPE_DATA_FILES_BESIDE_H

#include <stdbool.h>

/* Each returns a new string, NULL for lack of memory; free it. */

/* Where a path leads: itself, or if it is a symbolic link what that points to, link after link,
 * whether or not there is a file at the end. NULL with errno also for links in a circle. */
char *beside_target(const char *path);

/* `path` and `ending`. Where the file system takes no name so long, the file's own part of it is
 * cut and the hash of the whole put in its place, so that different files keep different names. */
char *beside_name(const char *path, const char *ending);

/* The name of the `attempt`th partial file of this process for `path`. */
char *beside_part(const char *path, int attempt);

/* Whether two names lead to the same file. Two equal names do, whether or not there is a file. */
bool beside_is_same(const char *a, const char *b);

/* Removes the partial files of `path`, made by beside_part, that nobody has locked. */
void beside_clean(const char *path);

/* Locks an open file by flock until its last descriptor is closed, also by the end of the process.
 * False with errno EWOULDBLOCK if another process has locked it; false with another errno, or 0, if
 * the file system has no locks or the file is no longer at `path`. */
bool beside_lock(int file, const char *path);

#endif
