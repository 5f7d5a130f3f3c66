/* What HarfBuzz's tables of Unicode say of code points. */
#ifndef HEADSCOPE_VIZ_TEXT_SCRIPT_H
#define HEADSCOPE_VIZ_TEXT_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

/* A script as HarfBuzz names it: its ISO 15924 tag in one number. */
typedef uint32_t Script;

/* The script of a code point: 0 for what is common to several (spaces, digits, signs, marks), and
 * SCRIPT_PLAIN for all scripts whose letters stand side by side as they come (Latin, Greek,
 * Cyrillic, Han, kana): a text that mixes them is shaped in one go. */
#define SCRIPT_PLAIN ((Script)0x4C61746E) /* Latn */
Script script_of(uint32_t code_point);

/* Whether it only changes the character before it (accent, vowel sign, joiner, variant). */
bool script_is_mark(uint32_t code_point);

/* Whether a text is a single character, with its marks (or empty). */
bool script_is_one_character(const char *text);

#endif
