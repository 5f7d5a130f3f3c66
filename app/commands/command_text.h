/* The command that made a picture or a model, as text that may be passed on. */
#ifndef HEADSCOPE_APP_COMMANDS_COMMAND_TEXT_H
#define HEADSCOPE_APP_COMMANDS_COMMAND_TEXT_H

#include "app/cli/options.h"

/* The command as typed, with quotes where a shell needs them: a new string (free it), NULL for lack
 * of memory. `name` is "headscope train". Of files only the last part of the name is told: words
 * that are no option's value, values of `options` (NULL: none known) that are files, and those in
 * actions (an option whose argument is ACTIONS). */
char *command_text(const char *name, Option *options, int argc, char **argv);

#endif
