/* The text of `--version` and of `--help`, made from the options of a command: for a terminal, for
 * the manual page (`--help=man`) or for the shell's completion (`--help=completion`; both see
 * app/commands/manual.h). */
#ifndef HEADSCOPE_APP_CLI_HELP_H
#define HEADSCOPE_APP_CLI_HELP_H

#include "app/cli/options.h"

/* Prints the version, and the kernels and OpenBLAS in use (`headscope --version`). */
void help_version(void);

typedef struct EnvironmentVariable {
    const char *name;
    const char *help; /* one line */
} EnvironmentVariable;

/* The environment variables that the program reads; ended by {0}. */
extern const EnvironmentVariable environment_variables[];

typedef enum HelpForm { HELP_TERMINAL, HELP_MANUAL, HELP_COMPLETION } HelpForm;

/* True if a word of the command line asks for help; *form is its form. */
bool help_asked(const char *word, HelpForm *form);

/* Prints the command and its options (ended by {0}) to standard output, then the options that all
 * lessons share (NULL: none) except in the manual page, which lists those once (help_options). */
void help_command(HelpForm form, const Command *command, const Option *options,
                  const Option *shared);

/* Prints a paragraph of the manual page for each option. */
void help_options(const Option *options);

/* Prints a text for the manual page, with roff's special characters escaped. */
void help_roff(const char *text);

#endif
