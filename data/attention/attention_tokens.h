/* Reads the tokens of an attention file, from the file itself or a JSON file. */
#ifndef HEADSCOPE_DATA_ATTENTION_ATTENTION_TOKENS_H
#define HEADSCOPE_DATA_ATTENTION_ATTENTION_TOKENS_H

#include "data/attention/attention_lens.h"

/* A list of tokens, owned. */
typedef struct TokenList {
    char **texts;
    int count;
    bool given;
} TokenList;

/* What the tokens are of, in the order of the roles from ROLE_TOKENS on. */
enum {
    TOKENS_ALL,
    TOKENS_ENCODER,
    TOKENS_DECODER,
    TOKENS_WRITTEN,
    TOKENS_QUERY,
    TOKENS_KEY,
    TOKEN_LISTS
};

typedef struct AttentionTokens {
    TokenList lists[TOKEN_LISTS];
    int first_query; /* -1: not said */
    AttentionLens lens[LENS_LISTS];
} AttentionTokens;

/* From a JSON file, or (path NULL) from the texts of the file itself, which is `name` in messages;
 * lengths and the first query also from its arrays. */
bool attention_tokens_read(AttentionTokens *tokens, const Arrays *arrays, const char *name,
                           const char *path, Error *error);
void attention_tokens_free(AttentionTokens *tokens);

#endif
