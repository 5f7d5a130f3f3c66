/* UTF-8 decoding (Unicode 15, table 3-7: overlong forms, surrogates and everything past U+10FFFF
 * are refused), and names and quotations of arbitrary bytes for messages. */
#ifndef HEADSCOPE_MODEL_BASE_UTF8_H
#define HEADSCOPE_MODEL_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UTF8_LENGTH_MAX = 4, UTF8_REPLACEMENT = 0xFFFD };

/* Decodes the first character of `size` >= 1 bytes into *code (may be NULL). Returns its length
 * in bytes, 1 to UTF8_LENGTH_MAX; 0 if the bytes end within it; -1 if they are not UTF-8. */
int utf8_decode(const char *text, size_t size, uint32_t *code);

/* The same for a string: 0 at its end, -1 if it ends within a character. */
int utf8_next(const char *text, uint32_t *code);

/* Returns the character at *cursor, which moves past it: 0 at the end of the string,
 * UTF8_REPLACEMENT for one byte that is not UTF-8. */
uint32_t utf8_read(const char **cursor);

/* Returns `length`, or the nearest smaller length at which `text` can be cut without splitting a
 * character. */
size_t utf8_cut(const char *text, size_t length);

/* True if every character of `text` is UTF-8. */
bool utf8_valid(const char *text);

/* True if the character is visible by itself: no control, space, combining mark or direction mark.
 */
bool utf8_visible(uint32_t code);

enum { UTF8_NAME_SIZE = 24 };

/* Names the first character of `text` for a message: 'q', 'ä' (U+00E4), "a space", U+0007, or the
 * byte \xFF if it is not UTF-8. */
void utf8_name(char name[UTF8_NAME_SIZE], const char *text);

enum { UTF8_QUOTE_SIZE = 136 };

/* Writes the first 40 characters of `text` in double quotes, with an ellipsis if it is longer.
 * Invisible characters are written as U+0007 or \xFF. */
void utf8_quote(char quote[UTF8_QUOTE_SIZE], const char *text);

#endif
