/* Paths of the user's files (XDG base directories 0.8) and of the shipped models. */
#ifndef HEADSCOPE_APP_CLI_PLACES_H
#define HEADSCOPE_APP_CLI_PLACES_H

#include <stdbool.h>
#include <stddef.h>

#include "model/base/error.h"

/* $XDG_CONFIG_HOME/headscope/config, or ~/.config/...: a new string (free it); NULL if neither is
 * set to an absolute path, or for lack of memory. */
char *places_config(void);

/* $XDG_STATE_HOME/headscope/last, or ~/.local/state/...; likewise. */
char *places_last(void);

/* Creates the missing parent folders of a path. */
bool places_make_folders(const char *path);

/* "/a/b/c.png" -> "c.png". Points into the path. */
const char *places_name(const char *path);

/* Finds a shipped file such as "dates.safetensors" in assets/ of the current folder, beside the
 * program, in its source tree, or where `make install` puts it. A new string; NULL if not found. */
char *places_shipped(const char *name);

/* The path of `name` in the folder of `beside`: a new string, NULL for lack of memory. */
char *places_beside(const char *beside, const char *name);

/* The absolute path, also of a file that does not exist: a new string, NULL for lack of memory. */
char *places_absolute(const char *path);

/* Reads a whole file of at most `max` bytes and adds a zero byte (free it). NULL with *error.
 * `size` may be NULL. */
char *places_read(const char *path, size_t max, size_t *size, Error *error);

#endif
