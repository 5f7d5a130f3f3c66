/* Sizes on paper such as "8cm" and "8pt", and the layout widths they lead to. */
#ifndef HEADSCOPE_APP_CLI_PRINT_SIZE_H
#define HEADSCOPE_APP_CLI_PRINT_SIZE_H

#include "model/base/error.h"

typedef struct Length {
    double number;    /* 0: not given */
    const char *unit; /* "cm", "mm", "in", "pt", "px" */
} Length;

/* In points, 1/72 inch (a px is 1/96 inch, as in CSS). */
double length_points(Length length);

/* Parses a length from 1pt to 1000cm. ERROR_USAGE names the option. */
bool length_parse(Length *length, const char *option, const char *text, Error *error);

typedef struct PrintSize {
    Length width; /* of the whole picture */
    Length font;  /* of the tokens */
} PrintSize;

/* The maximum layout width in logical pixels; 0 unless both sizes are given. */
float print_layout_width(const PrintSize *size);

/* The picture's width on paper for a layout of that many logical pixels, in the unit of `width` or,
 * if only a font size is given, of `font`. 0 if no font size and no width are given. */
Length print_width(const PrintSize *size, float layout_width);

#endif
