/* What a text is made of: code points, and the scripts they belong to, as far as shaping needs to
 * know (its tag and its direction). */
#ifndef HEADSCOPE_VIZ_SCRIPT_H
#define HEADSCOPE_VIZ_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Script {
    char tag[5]; /* ISO 15924, for the shaper */
    bool right_to_left;
} Script;

/* The code point at *cursor, which moves past it; 0 at the end of the text. A byte that is no UTF-8
 * gives U+FFFD and is passed alone. */
uint32_t script_next(const char **cursor);

/* The script of a code point: NULL for what is common to all (spaces, digits, signs) and for
 * scripts that need no shaping (Latin, Greek, Cyrillic, Han). */
const Script *script_of(uint32_t code_point);

/* Whether two results of script_of are one script. */
bool script_same(const Script *one, const Script *other);

/* Whether it only changes the character before it (accent, vowel sign, joiner, variant). */
bool script_is_mark(uint32_t code_point);

#endif
