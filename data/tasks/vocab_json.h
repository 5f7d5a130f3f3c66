/* A vocabulary as a JSON list of its tokens, for a file's metadata. */
#ifndef HEADSCOPE_DATA_TASKS_VOCAB_JSON_H
#define HEADSCOPE_DATA_TASKS_VOCAB_JSON_H

#include "data/tasks/vocab.h"

/* A new text (free it with free), NULL for lack of memory. */
char *vocab_to_json(const Vocab *vocab);

/* Reads such a text (NULL: it is missing). `key` names it in messages. ERROR_FAILED for what is no
 * list of texts and for what vocab_from_tokens refuses; *vocab is then {0}. */
bool vocab_from_json(Vocab *vocab, const char *text, const char *key, Error *error);

#endif
