/* What the window keeps from one start to the next, and where. */
#ifndef HEADSCOPE_APP_WINDOW_KEPT_H
#define HEADSCOPE_APP_WINDOW_KEPT_H

#include "app/window/settings.h"

typedef struct Kept {
    Settings settings;
    Settings stored;                 /* as the file has them */
    char *settings_path, *last_path; /* owned; NULL: nowhere */
    bool known;                      /* there were settings: this is not the first start */
    Error problem;                   /* what is wrong with them; text "": nothing */
} Kept;

/* Reads the settings, or takes the defaults. What is wrong with them is said on standard error too,
 * and costs no more than itself. */
void kept_read(Kept *kept);
void kept_free(Kept *kept); /* {0} is fine */

#endif
