#include "data/attention_file_parts.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/input.h"

enum { TOKENS_MOST = 1 << 17 };

static bool bad(const char *path, const char *key, const char *what, Error *error) {
    return error_usage(error, "%s: %s%s%s", path, key, key[0] ? ": " : "", what);
}

static bool take_tokens(TokenList *list, const cJSON *json, const char *path, const char *key,
                        Error *error) {
    if (list->given) return true;
    int count = cJSON_GetArraySize(json);
    if (count > TOKENS_MOST) return bad(path, key, "too many tokens", error);
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

static bool take_valid(AttentionTokens *tokens, const cJSON *json, const char *path,
                       const char *key, Error *error) {
    if (tokens->valid) return true;
    bool alone = cJSON_IsNumber(json);
    int count = alone ? 1 : cJSON_GetArraySize(json);
    if (count < 1 || count > TOKENS_MOST) return true;
    tokens->valid = calloc((size_t)count, sizeof *tokens->valid);
    if (!tokens->valid) return error_set(error, "%s: out of memory", path);
    for (int i = 0; i < count; i++) {
        const cJSON *item = alone ? json : cJSON_GetArrayItem(json, i);
        if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0))
            return bad(path, key, "a valid length must be a whole number from 0", error);
        tokens->valid[tokens->valid_count++] = item->valueint;
    }
    return true;
}

/* One entry; what is not known is passed over. */
static bool take_entry(AttentionTokens *tokens, const char *key, const cJSON *json,
                       const char *path, Error *error) {
    const struct {
        const char *key;
        TokenList *list;
    } lists[] = {{"encoder_tokens", &tokens->encoder},
                 {"source_tokens", &tokens->encoder},
                 {"decoder_tokens", &tokens->decoder},
                 {"target_reads", &tokens->decoder},
                 {"target_tokens", &tokens->decoder},
                 {"next_tokens", &tokens->writes},
                 {"target_writes", &tokens->writes},
                 {"tokens", &tokens->all},
                 {"all", &tokens->all},
                 {"query", &tokens->query},
                 {"query_tokens", &tokens->query},
                 {"key", &tokens->key},
                 {"key_tokens", &tokens->key}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (strcmp(key, lists[i].key) == 0) {
            if (cJSON_IsArray(json)) return take_tokens(lists[i].list, json, path, key, error);
            return bad(path, key, "must be a JSON list of texts", error);
        }
    if (strcmp(key, "row_offset") == 0 && cJSON_IsNumber(json) && json->valuedouble >= 0 &&
        json->valuedouble <= TOKENS_MOST)
        tokens->first_query = json->valueint;
    if (strcmp(key, "valid_lens") == 0 || strcmp(key, "enc_valid_lens") == 0)
        return take_valid(tokens, json, path, key, error);
    return true;
}

static bool take_json(AttentionTokens *tokens, const cJSON *json, const char *path, Error *error) {
    if (cJSON_IsArray(json)) return take_tokens(&tokens->all, json, path, "", error);
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
    cJSON *json = cJSON_ParseWithLength((const char *)bytes, size);
    bool good = json ? take_json(tokens, json, path, error)
                     : bad(path, "", "is no JSON: save the tokens with json.dump", error);
    if (good && !tokens->all.given && !tokens->encoder.given && !tokens->decoder.given &&
        !tokens->query.given && !tokens->key.given)
        good = bad(path, "", "names no tokens: encoder_tokens, decoder_tokens, tokens", error);
    cJSON_Delete(json);
    free(bytes);
    return good;
}

/* An array of strings, parted by newlines, as the list that it is. */
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

static bool read_texts(AttentionTokens *tokens, const ArrayViews *views, Error *error) {
    bool good = true;
    for (int i = 0; good && i < views->text_count; i++) {
        const ArrayText *text = &views->texts[i];
        cJSON *json = cJSON_Parse(text->text);
        if (!cJSON_IsArray(json) && !cJSON_IsNumber(json)) {
            cJSON_Delete(json);
            json = list_of_lines(text->text);
        }
        good = take_entry(tokens, text->name, json, text->name, error);
        cJSON_Delete(json);
    }
    return good;
}

bool attention_tokens_read(AttentionTokens *tokens, const ArrayViews *views, const char *path,
                           Error *error) {
    *tokens = (AttentionTokens){.first_query = -1};
    return path ? read_file(tokens, path, error) : read_texts(tokens, views, error);
}

static void free_list(TokenList *list) {
    for (int i = 0; i < list->count; i++)
        free(list->texts[i]);
    free(list->texts);
}

void attention_tokens_free(AttentionTokens *tokens) {
    free_list(&tokens->all);
    free_list(&tokens->encoder);
    free_list(&tokens->decoder);
    free_list(&tokens->writes);
    free_list(&tokens->query);
    free_list(&tokens->key);
    free(tokens->valid);
    *tokens = (AttentionTokens){.first_query = -1};
}
