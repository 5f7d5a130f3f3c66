/* Cuts a text into stretches that can be shaped in one go: one font, one script, one direction. */
#ifndef HEADSCOPE_VIZ_TEXT_RUN_H
#define HEADSCOPE_VIZ_TEXT_RUN_H

#include "viz/fonts.h"
#include "viz/script.h"

typedef struct TextRun {
    const char *start;
    size_t length;        /* bytes */
    Face face;            /* FACE_NONE: a single character that no font has */
    const Script *script; /* NULL: none that needs shaping */
    uint32_t first;       /* its first code point */
} TextRun;

/* The run at *cursor, which moves past it; false at the end of the text. */
bool text_run_next(const char **cursor, Fonts *fonts, bool bold, TextRun *run);

#endif
