/* Bounds JSON from other programs before it is parsed: cJSON needs 80 bytes for each value, which
 * may be only two bytes of text. */
#ifndef HEADSCOPE_DATA_FILES_JSON_TEXT_H
#define HEADSCOPE_DATA_FILES_JSON_TEXT_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

enum { JSON_TEXT_VALUES = 1 << 20 };

/* True if the text has at most JSON_TEXT_VALUES values. */
bool json_text_bounded(const char *text, size_t size);

/* Parses the whole text (free it with cJSON_Delete). NULL if the text is NULL, no JSON, or has too
 * many values. */
cJSON *json_text_parse(const char *text);

#endif
