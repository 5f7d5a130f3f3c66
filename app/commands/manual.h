/* The manual page headscope(1) and the completion of bash, made from the tables that `--help`
 * prints: `headscope --man` and `headscope --completion`, which `make install` calls. */
#ifndef HEADSCOPE_APP_COMMANDS_MANUAL_H
#define HEADSCOPE_APP_COMMANDS_MANUAL_H

#include "app/cli/options.h"

/* Prints the help of each command that is no lesson, in the order given, then of each lesson, to
 * standard output. False with *error if a command fails. */
bool manual_print(const Command *commands, int count, Error *error);
bool completion_print(const Command *commands, int count, Error *error);

/* The options that stand in the place of a command, ended by {0}; value and kind are not used. */
extern const Option manual_options[];

#endif
