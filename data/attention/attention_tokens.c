#include "data/attention/attention_tokens.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/files/input.h"
#include "data/files/json_text.h"

enum { TOKENS_MAX = 1 << 17 };

static bool bad(const char *path, const char *key, const char *what, Error *error) {
    return error_usage(error, "%s: %s%s%s", path, key, key[0] ? ": " : "", what);
}

static bool take_tokens(TokenList *list, const cJSON *json, const char *path, const char *key,
                        Error *error) {
    if (list->given) return true;
    int count = cJSON_GetArraySize(json);
    if (count > TOKENS_MAX) return bad(path, key, "too many tokens", error);
    list->texts = calloc((size_t)count + 1, sizeof *list->texts);
    if (!list->texts) return error_set(error, "%s: out of memory", path);
    list->given = true;
    const cJSON *item;
    cJSON_ArrayForEach(item, json) {
        const char *text = cJSON_GetStringValue(item);
        if (!text)
            return bad(path, key, "a token must be a text: save a JSON list of texts", error);
        if (!(list->texts[list->count++] = strdup(text)))
            return error_set(error, "%s: out of memory", path);
    }
    return true;
}

/* True for entries that an array of numbers may hold as well. */
static bool is_of_numbers(const char *key) {
    return array_name_find(key, ROLE_LENS, ROLE_DECODER_LENS) ||
           array_name_find(key, ROLE_FIRST_QUERY, ROLE_FIRST_QUERY);
}

static bool take_offset(AttentionTokens *tokens, double offset, const char *path, Error *error) {
    if (!(offset >= 0 && offset <= TOKENS_MAX) || floor(offset) != offset)
        return bad(path, array_name_of(ROLE_FIRST_QUERY),
                   "it must be a whole number from 0: the token that the first query is", error);
    if (tokens->first_query < 0) tokens->first_query = (int)offset;
    return true;
}

/* Reads one entry; unknown ones are ignored. */
static bool take_entry(AttentionTokens *tokens, const char *key, const cJSON *json,
                       const char *path, Error *error) {
    const ArrayName *name = array_name_find(key, ROLE_LENS, ROLE_FIRST_QUERY);
    if (!name) return true;
    if (name->role == ROLE_FIRST_QUERY)
        return take_offset(tokens, cJSON_IsNumber(json) ? json->valuedouble : -1, path, error);
    if (name->role < ROLE_TOKENS)
        return attention_lens_json(attention_lens_find(tokens->lens, key), json, error) ||
               error_prefix(error, "%s", path);
    if (!cJSON_IsArray(json)) return bad(path, key, "must be a JSON list of texts", error);
    return take_tokens(&tokens->lists[name->role - ROLE_TOKENS], json, path, key, error);
}

static bool take_json(AttentionTokens *tokens, const cJSON *json, const char *path, Error *error) {
    if (cJSON_IsArray(json)) return take_tokens(&tokens->lists[TOKENS_ALL], json, path, "", error);
    if (!cJSON_IsObject(json))
        return bad(path, "",
                   "no tokens: a JSON list of texts, or an object with encoder_tokens "
                   "and decoder_tokens",
                   error);
    const cJSON *entry;
    cJSON_ArrayForEach(
        entry, json) if (!take_entry(tokens, entry->string, entry, path, error)) return false;
    return true;
}

static bool read_file(AttentionTokens *tokens, const char *path, Error *error) {
    unsigned char *bytes;
    size_t size;
    if (!input_read(&bytes, &size, path, (size_t)1 << 24, error)) return false;
    cJSON *json = json_text_bounded((const char *)bytes, size)
                      ? cJSON_ParseWithLength((const char *)bytes, size)
                      : NULL;
    bool good = json ? take_json(tokens, json, path, error)
                     : bad(path, "", "is no JSON: save the tokens with json.dump", error);
    bool any = tokens->first_query >= 0;
    for (int i = 0; i < LENS_LISTS; i++)
        any = any || tokens->lens[i].values;
    for (int i = 0; i < TOKEN_LISTS; i++)
        any = any || (tokens->lists[i].given && i != TOKENS_WRITTEN);
    if (good && !any)
        good = bad(path, "", "names no tokens: encoder_tokens, decoder_tokens, tokens", error);
    cJSON_Delete(json);
    free(bytes);
    return good;
}

/* The list of newline-separated strings. */
static cJSON *list_of_lines(const char *text) {
    cJSON *list = cJSON_CreateArray();
    for (const char *line = text;; line++) {
        size_t length = strcspn(line, "\n");
        char *copy = malloc(length + 1);
        if (copy) {
            memcpy(copy, line, length);
            copy[length] = '\0';
            cJSON_AddItemToArray(list, cJSON_CreateString(copy));
        }
        free(copy);
        line += length;
        if (!*line) return list;
    }
}

/* Reads a text of the file: JSON, or lines. */
static bool take_text(AttentionTokens *tokens, const Array *text, const char *name, Error *error) {
    if (!text->text) return bad(name, text->name, "too many tokens", error);
    cJSON *json = json_text_parse(text->text);
    if (!cJSON_IsArray(json) && !cJSON_IsNumber(json)) {
        cJSON_Delete(json);
        json = list_of_lines(text->text);
    }
    bool good = take_entry(tokens, text->name, json, name, error);
    cJSON_Delete(json);
    return good;
}

/* Reads the entries of the attention file; its tokens are ignored if others are `given`. */
static bool read_own(AttentionTokens *tokens, const Arrays *arrays, const char *name, bool given,
                     Error *error) {
    bool good = true;
    for (int i = 0; good && i < arrays->count; i++) {
        const Array *array = &arrays->arrays[i];
        bool known = given ? is_of_numbers(array->name) : array_name_beside_maps(array->name);
        good = !array->is_text || !known || take_text(tokens, array, name, error);
    }
    for (int i = 0; good && i < arrays->count; i++) {
        const Array *array = &arrays->arrays[i];
        if (array->is_text) continue;
        AttentionLens *lens = attention_lens_find(tokens->lens, array->name);
        if (lens) {
            good = attention_lens_array(lens, array, error) || error_prefix(error, "%s", name);
        } else if (is_of_numbers(array->name)) {
            bool one = array->rank == 0 || (array->rank == 1 && array->shape[0] == 1);
            good = take_offset(tokens, one ? array_number(array, 0) : -1, name, error);
        }
    }
    return good;
}

bool attention_tokens_read(AttentionTokens *tokens, const Arrays *arrays, const char *name,
                           const char *path, Error *error) {
    *tokens = (AttentionTokens){.first_query = -1};
    return (!path || read_file(tokens, path, error)) &&
           read_own(tokens, arrays, name, path != NULL, error);
}

void attention_tokens_free(AttentionTokens *tokens) {
    for (int i = 0; i < TOKEN_LISTS; i++) {
        TokenList *list = &tokens->lists[i];
        for (int token = 0; token < list->count; token++)
            free(list->texts[token]);
        free(list->texts);
    }
    for (int i = 0; i < LENS_LISTS; i++)
        free(tokens->lens[i].values);
    *tokens = (AttentionTokens){.first_query = -1};
}
