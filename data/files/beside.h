/* Names of the partial files and locks that stand beside a file. */
#ifndef HEADSCOPE_DATA_FILES_BESIDE_H
#define HEADSCOPE_DATA_FILES_BESIDE_H

#include <stdbool.h>

/* Functions that return a string return a new one (free it), or NULL for lack of memory. */

/* Resolves the symbolic links of the path's last part, whether or not the target exists. NULL with
 * errno on failure, ELOOP for a circle of links. */
char *beside_target(const char *path);

/* Returns `path` with `ending` appended. Where that is longer than the file system allows, the file
 * name is shortened and a hash of it appended, so that different files keep different names. */
char *beside_name(const char *path, const char *ending);

/* Returns the name of this process's partial file number `attempt` for `path`. */
char *beside_part(const char *path, int attempt);

/* True if both names lead to the same file. Equal names do, even where no file exists. */
bool beside_is_same(const char *a, const char *b);

/* Removes the partial files of `path` (beside_part) that no process has locked. */
void beside_clean(const char *path);

/* Locks an open file with flock until its last descriptor is closed, at the latest when the process
 * ends. False with errno EWOULDBLOCK if another process has locked it; false with another errno, or
 * 0, if the file system has no locks or the file is no longer at `path`. */
bool beside_lock(int file, const char *path);

#endif
