/* In which order the characters of a line stand: the Unicode bidirectional algorithm (UAX 9), by
 * FriBidi.
 * A line is drawn from left to right in parts. A part that holds right-to-left characters goes up
 * to the next arrow, so that in `reads→writes` both keep their places whatever their scripts are;
 * its direction is that of its first letter, and of a part without letters left to right.
 * Embeddings, overrides and isolates in a text (U+202A to U+202E, U+2066 to U+2069) have no effect:
 * the texts are a stranger's, and none may turn what stands around it. */
#ifndef HEADSCOPE_VIZ_TEXT_BIDI_H
#define HEADSCOPE_VIZ_TEXT_BIDI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct BidiPart {
    const char *start; /* UTF-8 */
    size_t length;     /* bytes */
    bool ordered;      /* holds characters that are not simply written from left to right */
} BidiPart;

/* The part at *cursor, which moves past it; false at the end of the text. A text without
 * right-to-left characters is one part. */
bool bidi_part_next(const char **cursor, BidiPart *part);

/* For the characters of such a part: their levels [count] (odd: from right to left), and
 * order [count], the characters' indices from left to right. False if memory ends. */
bool bidi_order(const uint32_t *code_points, int count, signed char *levels, int *order);

/* Whether the direction of the text, that of its first letter, is from right to left. */
bool bidi_is_backwards(const char *text);

/* Whether the character is one of those that have no effect. */
bool bidi_is_left_out(uint32_t code_point);

#endif
