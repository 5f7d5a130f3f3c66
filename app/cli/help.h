/* What `--help` prints of a command, from its table of options: for a terminal; as a part of the
 * manual page, `--help=man`; or of the shell's completion, `--help=completion`
 * (app/commands/manual.h). */
#ifndef HEADSCOPE_APP_CLI_HELP_H
#define HEADSCOPE_APP_CLI_HELP_H

#include "app/cli/options.h"

typedef enum HelpForm { HELP_TERMINAL, HELP_MANUAL, HELP_COMPLETION } HelpForm;

/* Whether a word of the command line asks for help, and in which form. */
bool help_asked(const char *word, HelpForm *form);

/* Prints the command and its options (ended by {0}), then the options that all lessons share (NULL:
 * none) except in the manual page, which lists those once (help_options). */
void help_command(HelpForm form, const Command *command, const Option *options,
                  const Option *shared);

/* A paragraph of the manual page for each option. */
void help_options(const Option *options);

/* A text of the manual page: with roff's own characters written so that they are printed. */
void help_roff(const char *text);

#endif
