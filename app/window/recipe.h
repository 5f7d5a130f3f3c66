/* What a saved picture of the window says about itself, so that `headscope view` can open the very
 * state it shows; and the same as a text file, in which the window keeps its last state. Formats:
 * docs/files.md. */
#ifndef HEADSCOPE_APP_WINDOW_RECIPE_H
#define HEADSCOPE_APP_WINDOW_RECIPE_H

#include "data/models/checkpoint.h"
#include "viz/canvas/picture_texts.h"

typedef struct Recipe {
    const char *actions; /* from the first state of the model */
    const char *hash;    /* of the model; "" if it was never saved */
    const char *file; /* the model's: its name in a picture, its path where the window keeps it */
    const char *command; /* that drew it */
    int width, height;   /* of the window, in its own units; 0: unknown */
    float scale;         /* pixels for one unit */
    PictureTexts texts;  /* what the strings point into, where they were read; else empty */
} Recipe;

void recipe_free(Recipe *recipe); /* {0} is fine */

enum { RECIPE_TEXTS = 7, RECIPE_SIZE_TEXT = 48 };

/* The texts to put into a picture; returns how many. They point into the recipe and into `size`. A
 * text that is no UTF-8 is left out. */
int recipe_texts(const Recipe *recipe, char size[RECIPE_SIZE_TEXT],
                 PictureText texts[RECIPE_TEXTS]);

/* Whether the file begins as a PNG does. */
bool recipe_is_picture(const char *path);

/* Reads the recipe of a picture. ERROR_USAGE if it has none. */
bool recipe_read(Recipe *recipe, const char *path, Error *error);

/* Opens the model that a recipe is for: at its path, then under the same name beside `picture`
 * (NULL: nowhere), in assets/ and among the installed ones; then any shipped model. It must have
 * the recipe's hash; with `force` the first of that name that can be opened is taken. *path is a
 * new string. ERROR_USAGE names what was looked for and what was found. */
bool recipe_open_model(const Recipe *recipe, const char *picture, bool force, Model *model,
                       char **path, Error *error);

/* Writes and reads the text file; actions, hash and file alone. */
bool recipe_keep(const Recipe *recipe, const char *path, Error *error);
bool recipe_kept(Recipe *recipe, const char *path, Error *error);

#endif
