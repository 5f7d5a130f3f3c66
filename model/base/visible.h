/* Texts of others made visible: what would steer a terminal, or turn the order of letters round,
 * stands as an escape (\x1b, \u202e). */
#ifndef HEADSCOPE_MODEL_BASE_VISIBLE_H
#define HEADSCOPE_MODEL_BASE_VISIBLE_H

#include <stddef.h>

/* The longest letter of UTF-8, and the most bytes that one letter becomes. */
enum { VISIBLE_LETTER = 4, VISIBLE_MOST = 8 };

/* The size of the letter at the beginning of a text of `size` bytes: 1 for a byte that begins none;
 * 0 where the text ends within it. */
size_t visible_letter(const char *text, size_t size);

/* Writes that letter to `out` [VISIBLE_MOST], escaped where it is a control character (C0, DEL,
 * C1), a mark or an override of direction, a separator of lines, or no UTF-8. Returns the bytes
 * written. */
size_t visible_put(char *out, const char *text, size_t letter);

/* A whole text, cut where `out` [size] ends: whole letters, with a 0 after them. */
void visible_text(char *out, size_t size, const char *text);

#endif
