/* Where files lie: those of the person (XDG base directories 0.8) and the shipped models. */
#ifndef HEADSCOPE_APP_CLI_PLACES_H
#define HEADSCOPE_APP_CLI_PLACES_H

#include <stdbool.h>
#include <stddef.h>

#include "model/base/error.h"

/* $XDG_CONFIG_HOME/headscope/config, or ~/.config/...: a new string (free it); NULL where neither
 * is set to an absolute path, or memory ends. */
char *places_config(void);

/* $XDG_STATE_HOME/headscope/last, or ~/.local/state/...; likewise. */
char *places_last(void);

/* Makes the folders that the path stands in, where they are missing; false if that fails. */
bool places_make_folders(const char *path);

/* "/a/b/c.png" -> "c.png". Points into the path. */
const char *places_name(const char *path);

/* A shipped file by its name, "dates.safetensors": in the folder assets/ here or beside the
 * program's source, then where `make install` puts it. A new string; NULL if it is nowhere. */
char *places_shipped(const char *name);

/* The same name in the folder that `beside` lies in: a new string, NULL for lack of memory. */
char *places_beside(const char *beside, const char *name);

/* The absolute form of a path, so that it also holds from another folder: a new string. Where there
 * is no such file (any more), its path from here; NULL for lack of memory. */
char *places_absolute(const char *path);

/* A whole small file with a zero byte after it (free it). NULL with *error, also for more than
 * `most` bytes. */
char *places_read(const char *path, size_t max, size_t *size, Error *error);

#endif
