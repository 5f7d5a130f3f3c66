/* Tokens and their ids. A vocabulary begins with <pad>, <s>, </s>, in the order that the config's
 * pad, start and end ids say; the rest are texts, mostly single characters (UTF-8). */
#ifndef HEADSCOPE_DATA_VOCAB_H
#define HEADSCOPE_DATA_VOCAB_H

#include "model/error.h"

typedef struct Vocab {
    int size;
    char **tokens; /* [size], owned, each NUL-terminated UTF-8 */
} Vocab;

/* The three marks, then each character (code point) of `characters` in order. */
bool vocab_from_characters(Vocab *vocab, const char *characters, Error *error);

/* Copies `size` tokens. Fails on an empty or repeated token and on text that is not UTF-8. */
bool vocab_from_tokens(Vocab *vocab, const char *const *tokens, int size, Error *error);

void vocab_free(Vocab *vocab);

/* The id of a token, -1 if there is none. */
int vocab_find(const Vocab *vocab, const char *token);

/* Splits `text` into tokens, longest match first, never matching the three marks (ids 0, 1, 2).
 * Writes at most `capacity` ids; returns how many, or -1 with ERROR_USAGE: the text is no UTF-8, is
 * longer than capacity tokens, or holds a character outside the vocabulary (named, with those that
 * the model knows, ranges shortened as in `a-z`). */
int vocab_encode(const Vocab *vocab, const char *text, int *ids, int capacity, Error *error);

/* Joins the texts of `count` ids, the three marks left out. Returns a new string (free it), NULL
 * for lack of memory. */
char *vocab_decode(const Vocab *vocab, const int *ids, int count);

#endif
