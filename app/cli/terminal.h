/* Keeps control sequences in texts of models and files from reaching the terminal. */
#ifndef HEADSCOPE_APP_CLI_TERMINAL_H
#define HEADSCOPE_APP_CLI_TERMINAL_H

#include "model/base/error.h"

/* Call it before any output. Occupies standard descriptors that are closed, so that no file gets
 * their number; where standard output or error is a terminal, filters it by model/base/visible.h.
 * Output to files and pipes is unchanged. */
void terminal_begin(void);

/* True if standard output was written completely. If the reader closed the pipe, *quiet is set and
 * nothing needs to be reported. *error gives the reason. */
bool terminal_end(bool *quiet, Error *error);

#endif
