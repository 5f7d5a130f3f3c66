/* JSON from files of others, before it is parsed: a tree of it takes 80 bytes a value, which may be
 * two bytes of text. */
#ifndef HEADSCOPE_DATA_FILES_JSON_TEXT_H
#define HEADSCOPE_DATA_FILES_JSON_TEXT_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

enum { JSON_TEXT_VALUES = 1 << 20 };

/* Whether the text has no more values than that. */
bool json_text_bounded(const char *text, size_t size);

/* The whole text as a tree (cJSON_Delete); NULL where it is NULL, no JSON, or not bounded. */
cJSON *json_text_parse(const char *text);

#endif
