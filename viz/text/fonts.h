/* The fonts of the system, opened at the sizes asked for. Work is done only when it is needed: the
 * main font is looked for where systems keep it, and fontconfig is asked only where it is not
 * there, and when a character comes that it lacks. */
#ifndef HEADSCOPE_VIZ_TEXT_FONTS_H
#define HEADSCOPE_VIZ_TEXT_FONTS_H

#include "model/base/error.h"
#include "viz/text/font.h"

#include <stdint.h>

typedef struct Fonts Fonts;

/* One font file, by number: 0 is the main font, 1 the main font in bold, others follow as they are
 * needed. */
typedef int Face;
#define FACE_NONE (-1)

/* DejaVu Sans, or else the system's choice for sans. NULL with *error where the system has no font
 * at all, or lacks memory. Free with fonts_free. */
Fonts *fonts_make(Error *error);
void fonts_free(Fonts *fonts); /* NULL is fine */

/* The face to draw a character with: the main one if it has it, else any that has it; FACE_NONE
 * where no font of the system does. */
Face fonts_face_for(Fonts *fonts, uint32_t code_point, bool bold);

/* Whether a face has the character. */
bool fonts_face_has(Fonts *fonts, Face face, uint32_t code_point);

/* The face opened at a size in device pixels. It belongs to `fonts`; it is good until
 * fonts_close_all or fonts_free. NULL with *error if the file cannot be read. */
Font *fonts_open(Fonts *fonts, Face face, int pixels, Error *error);

/* Closes all opened sizes. */
void fonts_close_all(Fonts *fonts);

#endif
