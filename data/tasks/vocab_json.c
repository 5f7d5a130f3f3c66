#include "data/tasks/vocab_json.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

#include "data/files/json_text.h"

char *vocab_to_json(const Vocab *vocab) {
    cJSON *list = cJSON_CreateStringArray((const char *const *)vocab->tokens, vocab->size);
    char *text = list ? cJSON_PrintUnformatted(list) : NULL;
    cJSON_Delete(list);
    return text;
}

bool vocab_from_json(Vocab *vocab, const char *text, const char *key, Error *error) {
    *vocab = (Vocab){0};
    cJSON *list = json_text_parse(text);
    int size = cJSON_GetArraySize(list);
    const char **tokens = calloc((size_t)size + 1, sizeof *tokens);
    bool good = cJSON_IsArray(list) && tokens;
    int count = 0;
    const cJSON *item;
    if (good) {
        cJSON_ArrayForEach(item, list) {
            good = good && cJSON_IsString(item);
            tokens[count++] = item->valuestring;
        }
    }
    if (good)
        good = vocab_from_tokens(vocab, tokens, size, error) || error_prefix(error, "%s", key);
    else
        error_set(error, "%s: no JSON list of texts in the metadata", key);
    free(tokens);
    cJSON_Delete(list);
    return good;
}
