/* Sizes on paper: "8cm" and "8pt" as the command line names them, and what they make of a scene. */
#ifndef HEADSCOPE_APP_CLI_PRINT_SIZE_H
#define HEADSCOPE_APP_CLI_PRINT_SIZE_H

#include "model/base/error.h"

typedef struct Length {
    double number;    /* 0: not given */
    const char *unit; /* "cm", "mm", "in", "pt", "px" */
} Length;

/* In points, of which an inch has 72 (a px is a 96th of an inch, as in CSS). */
double length_points(Length length);

/* Reads a number above 0 with its unit, between a point and ten metres. ERROR_USAGE names the
 * option. */
bool length_parse(Length *length, const char *option, const char *text, Error *error);

typedef struct PrintSize {
    Length width; /* of the whole picture */
    Length font;  /* of the tokens */
} PrintSize;

/* The width that the layout is held to, in logical pixels; 0 unless both are given. */
float print_layout_width(const PrintSize *size);

/* The picture's width in the unit of `width` for a layout that is so many logical pixels wide; with
 * a font size alone, in its unit. 0 where nothing is given. */
Length print_width(const PrintSize *size, float layout_width);

#endif
