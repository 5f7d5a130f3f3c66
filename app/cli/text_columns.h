/* Measures, wraps and pads texts for a terminal. */
#ifndef HEADSCOPE_APP_CLI_TEXT_COLUMNS_H
#define HEADSCOPE_APP_CLI_TEXT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The columns of `length` bytes of UTF-8: two for a wide character, none for a combining mark. */
int text_columns(const char *text, size_t length);

/* The columns of the longest line of a text. */
int text_columns_widest(const char *text);

/* *length = the bytes of the next line of at most `width` columns (at least one character), broken
 * at a space or newline, or within a word that is longer than the line. Advances *text to the next
 * line. False at the end of the text. */
bool text_columns_wrap(const char **text, int width, size_t *length);

/* Writes `length` bytes padded with spaces to `width` columns, aligned to the right if `right`. */
void text_columns_put(FILE *stream, const char *text, size_t length, int width, bool right);

#endif
