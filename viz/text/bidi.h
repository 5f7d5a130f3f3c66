/* The visual order of the characters of a line: the Unicode bidirectional algorithm (UAX 9), by
 * FriBidi.
 * A line is drawn from left to right in parts. A part with right-to-left characters ends at the
 * next arrow, so that in `reads→writes` both sides keep their places whatever their scripts. Its
 * direction is that of its first strong character; left to right if it has none. Embeddings,
 * overrides and isolates (U+202A to U+202E, U+2066 to U+2069) have no effect: texts are untrusted,
 * and none may reorder the text around it. */
#ifndef HEADSCOPE_VIZ_TEXT_BIDI_H
#define HEADSCOPE_VIZ_TEXT_BIDI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct BidiPart {
    const char *start; /* UTF-8 */
    size_t length;     /* bytes */
    bool ordered;      /* holds right-to-left characters: needs bidi_order */
} BidiPart;

/* The part at *cursor, which moves past it; false at the end of the text. A text without
 * right-to-left characters is one part. */
bool bidi_part_next(const char **cursor, BidiPart *part);

/* Computes, for the characters of an ordered part, levels [count] (odd: right to left) and
 * order [count], their indices from left to right. False if memory ends. */
bool bidi_order(const uint32_t *code_points, int count, signed char *levels, int *order);

/* True if the first strong character of the text is a right-to-left one. */
bool bidi_is_backwards(const char *text);

/* True for the embeddings, overrides and isolates above. */
bool bidi_is_left_out(uint32_t code_point);

#endif
