/* --trap NAME: runs a model's attention with a mistake. */
#ifndef HEADSCOPE_APP_CLI_TRAP_OPTION_H
#define HEADSCOPE_APP_CLI_TRAP_OPTION_H

#include "model/doctor/traps.h"
#include "model/network/config.h"

#define TRAP_OPTION_HELP "a silent mistake in the attention, or none; headscope traps shows them"

/* Finds a trap by name; *trap is NULL for "none". ERROR_USAGE for an unknown name, with a list of
 * names, and for a trap that is not silent. */
bool trap_option_find(const MistakeKind **trap, const char *name, Error *error);

/* Sets ERROR_USAGE for an unknown trap, with a list: for a lesson all traps, else the silent ones
 * and "none". Always false. */
bool trap_option_unknown(const char *name, bool is_lesson, Error *error);

/* Sets the mistakes of a config. A NULL name leaves them as they are. */
bool trap_option_apply(Config *config, const char *name, Error *error);

/* The name of a config's mistakes: "one-reshape", "none" or "mistakes of its own". */
const char *trap_option_name(const Config *config);

#endif
