/* What the window keeps from one start to the next, as a text of lines `key = value`; a line that
 * begins with # is a comment. Format: docs/files.md. */
#ifndef HEADSCOPE_APP_WINDOW_SETTINGS_H
#define HEADSCOPE_APP_WINDOW_SETTINGS_H

#include "app/session/action.h"
#include "model/base/error.h"
#include "viz/canvas/colormap.h"
#include "viz/canvas/theme.h"

typedef struct Settings {
    int width, height; /* of the window, in its own units */
    ThemeName theme;
    ColorMap colormap;
    float text_scale;
    char *model; /* owned; the last one that was open, NULL: none */
} Settings;

Settings settings_default(void);

/* The actions that give a session these looks. */
enum { SETTINGS_LOOKS = 3 };
void settings_looks(const Settings *settings, Action looks[SETTINGS_LOOKS]);

void settings_free(Settings *settings); /* leaves the defaults */

bool settings_same(const Settings *a, const Settings *b);

/* *to, which holds settings, becomes a copy. False, with *to as it was, for lack of memory. */
bool settings_copy(Settings *to, const Settings *from);

/* Reads a file into settings that hold the defaults. What is not there or not right stays as it is.
 * False with *error (one line that names file, line and key) for the first thing that is wrong; a
 * file that does not exist is no failure. Unknown keys are passed over. */
bool settings_read(Settings *settings, const char *path, Error *error);

/* Writes them whole, with the folders above. Comments and unknown keys of a file that is already
 * there stay in their place. A file that cannot be read as text is not written over: that fails. */
bool settings_write(const Settings *settings, const char *path, Error *error);

/* What the window keeps from one start to the next, and where. */
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
