/* The fonts of the system, opened on demand. The main font is first looked for in the usual places;
 * fontconfig is used only if it is not there, or lacks a character. */
#ifndef HEADSCOPE_VIZ_TEXT_FONTS_H
#define HEADSCOPE_VIZ_TEXT_FONTS_H

#include "model/base/error.h"
#include "viz/text/font.h"

#include <stdint.h>

typedef struct Fonts Fonts;

/* The number of a font file: 0 is the main font, 1 the main font in bold; others are added as they
 * are needed. */
typedef int Face;
#define FACE_NONE (-1)

/* DejaVu Sans, or else the system's choice for sans. NULL with *error where the system has no font
 * at all, or lacks memory. Free with fonts_free. */
Fonts *fonts_make(Error *error);
void fonts_free(Fonts *fonts); /* NULL is fine */

/* The face to draw a character with: the main one if it has it, else any that has it; FACE_NONE if
 * no font of the system has it. */
Face fonts_face_for(Fonts *fonts, uint32_t code_point, bool bold);

/* True if the face has the character. */
bool fonts_face_has(Fonts *fonts, Face face, uint32_t code_point);

/* The face opened at a size in device pixels. Belongs to `fonts`; the next fonts_open
 * may close it. NULL with *error if the file cannot be read. */
Font *fonts_open(Fonts *fonts, Face face, int pixels, Error *error);

#endif
