/* What the program says reaches a terminal without anything that could steer it: texts come from
 * models, files and names of others. */
#ifndef HEADSCOPE_APP_CLI_TERMINAL_H
#define HEADSCOPE_APP_CLI_TERMINAL_H

#include "model/base/error.h"

/* Opens what of the three standard descriptors is closed, so that no file takes its place and it
 * fails where it is used; and puts model/base/visible.h before standard output and error where they
 * are a terminal. Output to files and pipes stays as it is. Before anything is written. */
void terminal_begin(void);

/* Whether all that was written to standard output got there. A reader that is gone is no failure to
 * be told: then *quiet. *error gives the reason. */
bool terminal_end(bool *quiet, Error *error);

#endif
