/* Texts for a terminal: how wide they are, and where a line of them ends. */
#ifndef HEADSCOPE_APP_CLI_TEXT_COLUMNS_H
#define HEADSCOPE_APP_CLI_TEXT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The columns that `length` bytes of UTF-8 take: two for a wide character, none for a mark that
 * stands on the one before it. */
int text_columns(const char *text, size_t length);

/* The columns of the longest line of a text. */
int text_columns_widest(const char *text);

/* The bytes of the next line of at most `width` columns (at least one character): it ends at a
 * space or newline, or where a word is longer than the line within it. *text then stands where the
 * line after it begins. False where nothing is left. */
bool text_columns_wrap(const char **text, int width, size_t *length);

/* Writes `length` bytes filled up with spaces, at their left where `right`. */
void text_columns_put(FILE *stream, const char *text, size_t length, int width, bool right);

#endif
