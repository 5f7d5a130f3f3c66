/* UTF-8 as input brings it: strict reading, and making any bytes fit to stand in a message. */
#ifndef HEADSCOPE_MODEL_BASE_UTF8_H
#define HEADSCOPE_MODEL_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length in bytes (1 to 4) of the character at the start of `text`, which is put into *code;
 * 0 at the end of the string; -1 if the bytes are no UTF-8 (Unicode 15, table 3-7: overlong forms,
 * surrogates and all past U+10FFFF are refused). `code` may be NULL. */
int utf8_next(const char *text, uint32_t *code);

/* True if every character of `text` is UTF-8. */
bool utf8_valid(const char *text);

/* True if the character can be seen by itself: no control, no space, no combining mark, nothing
 * that changes the direction of what follows. */
bool utf8_visible(uint32_t code);

enum { UTF8_NAME_SIZE = 24 };

/* Names the first character of `text` for a message: 'q', 'ä' (U+00E4), "a space", U+0007, or the
 * byte \xFF where it is no UTF-8. */
void utf8_name(char name[UTF8_NAME_SIZE], const char *text);

enum { UTF8_QUOTE_SIZE = 136 };

/* Puts the beginning of `text`, 40 characters or fewer, between double quotes, with an ellipsis
 * where it goes on. What cannot be seen stands as U+0007 or \xFF. */
void utf8_quote(char quote[UTF8_QUOTE_SIZE], const char *text);

#endif
