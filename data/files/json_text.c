#include "data/files/json_text.h"

#include <string.h>

/* Outside strings, every value but the first follows a bracket or a comma. */
bool json_text_bounded(const char *text, size_t size) {
    size_t values = 1;
    bool in_string = false;
    for (size_t i = 0; i < size && values <= JSON_TEXT_VALUES; i++) {
        if (in_string && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            in_string = !in_string;
        else if (!in_string)
            values += text[i] == ',' || text[i] == '[' || text[i] == '{';
    }
    return values <= JSON_TEXT_VALUES;
}

cJSON *json_text_parse(const char *text) {
    if (!text || !json_text_bounded(text, strlen(text))) return NULL;
    return cJSON_ParseWithOpts(text, NULL, true);
}
