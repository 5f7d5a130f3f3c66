/* Unicode properties of code points, from HarfBuzz. */
#ifndef HEADSCOPE_VIZ_TEXT_SCRIPT_H
#define HEADSCOPE_VIZ_TEXT_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

/* A script as HarfBuzz names it: its ISO 15924 tag in one number. */
typedef uint32_t Script;

/* The script of a code point: 0 for characters of several scripts (spaces, digits, signs, marks),
 * and SCRIPT_PLAIN for all scripts that need no shaping of their own (Latin, Greek, Cyrillic, Han,
 * kana), so that a text that mixes them is one run. */
#define SCRIPT_PLAIN ((Script)0x4C61746E) /* Latn */
Script script_of(uint32_t code_point);

/* True if it modifies the character before it (accent, vowel sign, joiner, variation selector). */
bool script_is_mark(uint32_t code_point);

/* True if a text is empty or a single character with its marks. */
bool script_is_one_character(const char *text);

#endif
