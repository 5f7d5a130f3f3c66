#include "app/cli/text_columns.h"

#include <string.h>

#include "model/base/utf8.h"

/* True for characters two columns wide: approximate blocks of Unicode 15. */
static bool is_wide(uint32_t code) {
    static const uint32_t ranges[][2] = {{0x1100, 0x115F},   {0x2E80, 0xA4CF},  {0xAC00, 0xD7A3},
                                         {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},  {0xFF00, 0xFF60},
                                         {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1]) return true;
    return false;
}

/* The bytes (one for an invalid byte) and columns of the next character. */
static size_t next(const char *text, int *columns) {
    uint32_t code = 0;
    int bytes = utf8_next(text, &code);
    bool mark = bytes > 0 && code >= 0x300 && code <= 0x36F;
    *columns = mark ? 0 : bytes > 0 && is_wide(code) ? 2 : 1;
    return bytes > 0 ? (size_t)bytes : 1;
}

int text_columns(const char *text, size_t length) {
    int sum = 0, columns;
    for (size_t at = 0; at < length; sum += columns)
        at += next(text + at, &columns);
    return sum;
}

int text_columns_widest(const char *text) {
    int widest = 0;
    while (*text) {
        size_t length = strcspn(text, "\n");
        int columns = text_columns(text, length);
        if (columns > widest) widest = columns;
        text += length + (text[length] == '\n');
    }
    return widest;
}

bool text_columns_wrap(const char **text, int width, size_t *length) {
    const char *line = *text;
    if (!*line) return false;
    size_t at = 0, space = 0;
    int used = 0, columns;
    while (line[at] && line[at] != '\n') {
        size_t bytes = next(line + at, &columns);
        if (line[at] == ' ') space = at;
        if (used + columns > width && at > 0) break;
        used += columns;
        at += bytes;
    }
    bool whole = line[at] == '\0' || line[at] == '\n';
    *length = whole || space == 0 ? at : space;
    *text = line + *length;
    if (whole && **text == '\n')
        ++*text;
    else
        *text += strspn(*text, " ");
    while (*length > 0 && line[*length - 1] == ' ')
        --*length;
    return true;
}

void text_columns_put(FILE *stream, const char *text, size_t length, int width, bool right) {
    int gap = width - text_columns(text, length);
    if (gap < 0) gap = 0;
    fprintf(stream, "%*s%.*s%*s", right ? gap : 0, "", (int)length, text, right ? 0 : gap, "");
}
