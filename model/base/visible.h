/* Texts from files and people made safe to show: in a terminal, what would steer it or change the
 * direction of text stands as an escape (\x1b, \u202e); in the window, control characters do. */
#ifndef HEADSCOPE_MODEL_BASE_VISIBLE_H
#define HEADSCOPE_MODEL_BASE_VISIBLE_H

#include <stddef.h>

#include "model/base/pool.h"

/* The longest output of visible_put, in bytes. */
enum { VISIBLE_SIZE_MAX = 8 };

/* The size of the character at the start of a text of `size` bytes: 1 for a byte that starts none;
 * 0 where the text ends within it. */
size_t visible_char_size(const char *text, size_t size);

/* Writes that character to `out` [VISIBLE_SIZE_MAX], escaped where it is a control character (C0,
 * DEL, C1), changes the direction of text, separates lines, or is not UTF-8. Returns the bytes
 * written.
 */
size_t visible_put(char *out, const char *text, size_t letter);

/* Writes as much of the text as fits into `out` [size], whole characters with a NUL after them. */
void visible_text(char *out, size_t size, const char *text);

/* Returns the text for the window: a byte that is not UTF-8 stands as `\xFF`, a control character
 * as `U+000A`. The text itself where it has neither; else a copy in the pool. NULL for NULL. */
const char *visible_label(Pool *pool, const char *text);

/* Returns a token for the window, in the pool: as visible_label, but a single space stands as `␣`.
 */
const char *visible_token(Pool *pool, const char *token);

#endif
