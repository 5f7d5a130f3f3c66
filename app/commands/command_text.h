/* The command that made a picture or a model, as text that can be published. */
#ifndef HEADSCOPE_APP_COMMANDS_COMMAND_TEXT_H
#define HEADSCOPE_APP_COMMANDS_COMMAND_TEXT_H

#include "app/cli/options.h"

/* Returns the command as typed, quoted for a shell: a new string (free it), NULL if out of memory.
 * `name` is "headscope train". Folders of file names are removed, in words that are not an option's
 * value, in values of `options` (may be NULL) that name files, and in actions (the value of an
 * option whose argument is ACTIONS). */
char *command_text(const char *name, Option *options, int argc, char **argv);

#endif
