/* Tokens and their ids. The first three tokens are marks that no text ever matches: <pad>, <s> and
 * </s> (ids 0, 1, 2; the config's pad, start and end ids say which is which). The rest are texts,
 * mostly single characters (UTF-8). */
#ifndef HEADSCOPE_DATA_TASKS_VOCAB_H
#define HEADSCOPE_DATA_TASKS_VOCAB_H

#include "model/base/error.h"

enum { VOCAB_MARKS = 3 };

typedef struct VocabEntry {
    const char *token;
    int id;
} VocabEntry;

/* Copying the struct copies no token: of two copies, free one. */
typedef struct Vocab {
    int size;
    char **tokens;       /* [size], owned (one block), each NUL-terminated UTF-8 */
    VocabEntry *entries; /* [size - 3], owned: all but the marks, in the order of their bytes */
    int first[257];      /* those that begin with byte b are entries first[b] up to first[b+1] */
    int longer;          /* how many of them have more than one character */
} Vocab;

/* The three marks, then each character (code point) of `characters` in order. Fails as
 * vocab_from_tokens does. */
bool vocab_from_characters(Vocab *vocab, const char *characters, Error *error);

/* Copies `size` tokens, the marks first. ERROR_FAILED for fewer than three tokens, an empty or
 * repeated one, text that is not UTF-8, or lack of memory; *vocab is then {0}. */
bool vocab_from_tokens(Vocab *vocab, const char *const *tokens, int size, Error *error);

void vocab_free(Vocab *vocab);

/* The id of a token, marks included; -1 if there is none. */
int vocab_find(const Vocab *vocab, const char *token);

/* Splits `text` into tokens, longest match first, and writes their ids (`ids` may be NULL: then
 * they are only counted). Returns how many there are, or -1 with ERROR_USAGE: the text is no UTF-8,
 * has more than `capacity` tokens, or holds a character outside the vocabulary (named, with those
 * that the model knows, ranges shortened as in `a-z`). An empty text has 0 tokens. */
int vocab_encode(const Vocab *vocab, const char *text, int *ids, int capacity, Error *error);

/* Joins the texts of `count` ids, each in 0..size-1, the three marks left out. Returns a new string
 * (free it), NULL for lack of memory. */
char *vocab_decode(const Vocab *vocab, const int *ids, int count);

/* The tokens as a JSON list, for a file's metadata: a new text (free it with free), NULL for lack
 * of memory. */
char *vocab_to_json(const Vocab *vocab);

/* Reads such a text (NULL: it is missing). `key` names it in messages. ERROR_FAILED for what is no
 * list of texts and for what vocab_from_tokens refuses; *vocab is then {0}. */
bool vocab_from_json(Vocab *vocab, const char *text, const char *key, Error *error);

#endif
