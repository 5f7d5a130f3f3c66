/* Actions as text: the one vocabulary of the window, the headless commands, the scripts and the
 * recipes in saved pictures. `input 3 May 2021; step 4; ablate cross.1.2` is three actions: a verb
 * and what follows it. Outer spaces do not count; a text that holds `;`, outer spaces or a quote at
 * its start stands in double quotes, in which two quotes are one. */
#ifndef HEADSCOPE_APP_SESSION_ACTION_H
#define HEADSCOPE_APP_SESSION_ACTION_H

#include "model/base/error.h"

typedef struct Action {
    char verb[24];
    char *argument; /* owned, without quotes; "" for none */
    bool has_argument;
} Action;

/* Reads the next action and moves *text behind it. Empty ones (`;;`) are passed over. At the end
 * returns true with an empty verb. ERROR_USAGE for a quote without its end, something after a
 * quoted text, or a verb that is too long. Free with action_free. */
bool action_next(const char **text, Action *action, Error *error);
void action_free(Action *action); /* {0} is fine */

/* The argument as it must be written: a new string (free it), quoted where needed. NULL for lack of
 * memory. */
char *action_quote(const char *argument);

#endif
