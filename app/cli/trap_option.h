/* --trap NAME: a mistake made in a model's attention, by its name. */
#ifndef HEADSCOPE_APP_CLI_TRAP_OPTION_H
#define HEADSCOPE_APP_CLI_TRAP_OPTION_H

#include "model/doctor/traps.h"
#include "model/network/config.h"

#define TRAP_OPTION_HELP "a silent mistake in the attention, or none; headscope traps shows them"

/* The trap of that name, *trap NULL for "none". ERROR_USAGE, with the names there are, for another
 * name and for a trap that cannot be made silently. */
bool trap_option_find(const MistakeKind **trap, const char *name, Error *error);

/* ERROR_USAGE with the names there are: all of them where a lesson is asked for one, else those
 * that can be made silently and "none". */
bool trap_option_unknown(const char *name, bool is_lesson, Error *error);

/* Sets the mistakes of a config. A NULL name leaves them as they are. */
bool trap_option_apply(Config *config, const char *name, Error *error);

/* "one-reshape", "none", or "mistakes of its own": what a config's mistakes are called. */
const char *trap_option_name(const Config *config);

#endif
