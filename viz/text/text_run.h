/* Cuts a text into runs of one font, one script and one direction. */
#ifndef HEADSCOPE_VIZ_TEXT_TEXT_RUN_H
#define HEADSCOPE_VIZ_TEXT_TEXT_RUN_H

#include "viz/text/fonts.h"

typedef struct TextRun {
    FontText text;  /* its script is SCRIPT_PLAIN if it has no letters */
    Face face;      /* FACE_NONE: a single character that no font has, with its marks */
    uint32_t first; /* its first code point */
} TextRun;

/* The runs of a text from left to right. {0} is empty. */
typedef struct TextRuns {
    TextRun *items; /* [count], owned */
    int count, capacity;
} TextRuns;

/* Fills *runs, which point into the text. False if memory ends; free with text_runs_free in either
 * case. */
bool text_runs_make(TextRuns *runs, const char *text, Fonts *fonts, bool bold);
void text_runs_free(TextRuns *runs);

#endif
