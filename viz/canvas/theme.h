/* The light and the dark theme: colours that differ, and sizes that do not. */
#ifndef HEADSCOPE_VIZ_CANVAS_THEME_H
#define HEADSCOPE_VIZ_CANVAS_THEME_H

#include "viz/canvas/color.h"

#include <stdbool.h>

typedef enum ThemeName { THEME_LIGHT, THEME_DARK, THEME_COUNT } ThemeName;

typedef struct Theme {
    Color ground;       /* behind everything */
    Color text, muted;  /* main text, and explanations of it */
    Color line;         /* frames and ticks */
    Color grid;         /* the hairline between cells */
    Color hatch_ground; /* masked cells: their ground ... */
    Color hatch_line;   /* ... and the lines over it */
    Color alarm;        /* a NaN cell */
    Color middle;       /* no difference, in a diverging map */
    /* The window. Text, muted and the accents have a contrast of 4.5 (WCAG 2.1) on all its grounds.
     */
    Color ground_window; /* behind the cards */
    Color surface;       /* cards; also text on a fill of an accent */
    Color raised;        /* on a card: chips, buttons, the troughs of bars */
    Color divider;       /* between parts, and around cards */
    Color accent;        /* A, and what is selected: as text, line or fill */
    Color accent_second; /* B */
    Color accent_wash;   /* behind a selected thing */
    Color struck;        /* the cross over an ablated head; also as text, of what is wrong */
    Color sound;         /* what is right, as text */
} Theme;

/* Sizes in logical pixels. */
#define FONT_TITLE   18.0F
#define FONT_HEADING 14.0F
#define FONT_TEXT    12.0F
#define FONT_TOKEN   11.0F

/* In font sizes: the reach of ink above and below the baseline, and the distance from the middle of
 * capitals down to the baseline. */
#define TEXT_ASCENT  0.78F
#define TEXT_DESCENT 0.24F
#define TEXT_MIDDLE  0.36F

#define SPACE_MARGIN  28.0F /* around the sheet */
#define SPACE_SECTION 36.0F /* between the sites */
#define SPACE_PANEL   28.0F /* between panels */
#define SPACE_LINE    8.0F  /* between lines of text */
#define SPACE_LABEL   6.0F  /* between a token and its row or column */

/* A constant: never freed. */
const Theme *theme_get(ThemeName name);

/* "light", "dark". */
const char *theme_name(ThemeName name);

/* Reads such a name; false for anything else. */
bool theme_parse(const char *text, ThemeName *name);

#endif
