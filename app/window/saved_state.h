/* What a saved picture of the window says about itself, so that `headscope view` can open the very
 * state it shows; and the same as a text file, in which the window keeps its last state. Formats:
 * docs/files.md. */
#ifndef HEADSCOPE_APP_WINDOW_SAVED_STATE_H
#define HEADSCOPE_APP_WINDOW_SAVED_STATE_H

#include "data/models/checkpoint.h"
#include "viz/canvas/picture_texts.h"

typedef struct SavedState {
    const char *actions; /* from the first state of the model */
    const char *hash;    /* of the model; "" if it was never saved */
    const char *file; /* the model's: its name in a picture, its path where the window keeps it */
    const char *command; /* that drew it */
    int width, height;   /* of the window, in its own units; 0: unknown */
    float scale;         /* pixels for one unit */
    PictureTexts texts;  /* what the strings point into, where they were read; else empty */
} SavedState;

void saved_state_free(SavedState *saved); /* {0} is fine */

enum { SAVED_STATE_TEXTS = 7, SAVED_STATE_SIZE_TEXT = 48 };

/* The texts to put into a picture; returns how many. They point into *saved and into `size`. A
 * text that is no UTF-8 is left out. */
int saved_state_texts(const SavedState *saved, char size[SAVED_STATE_SIZE_TEXT],
                      PictureText texts[SAVED_STATE_TEXTS]);

/* Whether the file begins as a PNG does. */
bool saved_state_is_picture(const char *path);

/* Reads the state of a picture. ERROR_USAGE if it has none. */
bool saved_state_read_picture(SavedState *saved, const char *path, Error *error);

/* Opens the model of a saved state: at its path, then under the same name beside `picture`
 * (NULL: nowhere), in assets/ and among the installed ones; then any shipped model. It must have
 * its hash; with `force` the first of that name that can be opened is taken. *path is a
 * new string. ERROR_USAGE names what was looked for and what was found. */
bool saved_state_open_model(const SavedState *saved, const char *picture, bool force, Model *model,
                            char **path, Error *error);

/* Writes and reads the text file; actions, hash and file alone. */
bool saved_state_write_file(const SavedState *saved, const char *path, Error *error);
bool saved_state_read_file(SavedState *saved, const char *path, Error *error);

#endif
