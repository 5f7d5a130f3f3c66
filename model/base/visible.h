/* Makes untrusted text safe to show. For a terminal, characters that control it or change the
 * direction of text are escaped (\x1b, \u202e); for the window, control characters are. */
#ifndef HEADSCOPE_MODEL_BASE_VISIBLE_H
#define HEADSCOPE_MODEL_BASE_VISIBLE_H

#include <stddef.h>

#include "model/base/pool.h"

/* The longest output of visible_put, in bytes. */
enum { VISIBLE_SIZE_MAX = 8 };

/* The bytes of the character at the start of a text of `size` bytes: 1 for a byte that starts none;
 * 0 if the text ends within the character. */
size_t visible_char_size(const char *text, size_t size);

/* Writes the character of `size` bytes to `out` [VISIBLE_SIZE_MAX]: escaped if it is a control
 * character (C0, DEL, C1), changes the direction of text, separates lines, or is not UTF-8. Returns
 * the bytes written. */
size_t visible_put(char *out, const char *text, size_t size);

/* Writes as many whole characters of the text as fit into `out` [size], and a NUL. */
void visible_text(char *out, size_t size, const char *text);

/* Returns the text for the window: a byte that is not UTF-8 becomes `\xFF`, a control character
 * `U+000A`. Returns `text` itself if it has neither, else a copy in the pool. NULL for NULL. */
const char *visible_label(Pool *pool, const char *text);

/* Returns a token for the window, in the pool: as visible_label, but a single space becomes `␣`. */
const char *visible_token(Pool *pool, const char *token);

#endif
