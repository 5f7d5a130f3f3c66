#include "model/base/visible.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "model/base/utf8.h"

size_t visible_char_size(const char *text, size_t size) {
    int length = utf8_decode(text, size, NULL);
    return length < 0 ? 1 : (size_t)length;
}

static bool is_control(uint32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0);
}

/* Control characters, line separators, and characters that change the direction of text. */
static bool is_unsafe(uint32_t code) {
    return is_control(code) || code == 0x61C || code == 0x200E || code == 0x200F ||
           (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

size_t visible_put(char *out, const char *text, size_t size) {
    uint32_t code = 0;
    bool broken = utf8_decode(text, size, &code) < 1;
    if (!broken && !is_unsafe(code)) {
        memcpy(out, text, size);
        return size;
    }
    char escape[16];
    int length = broken || code < 0x80
                     ? snprintf(escape, sizeof escape, "\\x%02x", (unsigned)(unsigned char)text[0])
                     : snprintf(escape, sizeof escape, "\\u%04x", (unsigned)code);
    memcpy(out, escape, (size_t)length);
    return (size_t)length;
}

void visible_text(char *out, size_t size, const char *text) {
    size_t used = 0, left = strlen(text);
    while (left > 0 && size > 0) {
        char put[VISIBLE_SIZE_MAX];
        size_t taken = visible_char_size(text, left);
        if (taken == 0) taken = 1; /* the text ends within a character */
        size_t length = visible_put(put, text, taken);
        if (used + length >= size) break;
        memcpy(out + used, put, length);
        used += length;
        text += taken;
        left -= taken;
    }
    if (size > 0) out[used] = '\0';
}

static bool is_clean(const char *text) {
    uint32_t code;
    int length;
    while ((length = utf8_next(text, &code)) > 0 && !is_control(code))
        text += length;
    return length == 0;
}

const char *visible_label(Pool *pool, const char *text) {
    enum { PIECE = 8 }; /* "U+0085" or "\\xFF", and a NUL; replaces at least one byte */
    if (!text || is_clean(text)) return text;
    char *clean = pool_take(pool, strlen(text) * PIECE + 1);
    if (!clean) return "";
    for (char *end = clean; *text;) {
        uint32_t code = 0;
        int length = utf8_next(text, &code);
        if (length < 0)
            end += snprintf(end, PIECE, "\\x%02X", (unsigned)(unsigned char)*text);
        else if (is_control(code))
            end += snprintf(end, PIECE, "U+%04X", (unsigned)code);
        else
            end = (char *)memcpy(end, text, (size_t)length) + length;
        text += length < 0 ? 1 : length;
    }
    return clean;
}

const char *visible_token(Pool *pool, const char *token) {
    return strcmp(token, " ") == 0 ? "␣" : pool_copy(pool, visible_label(pool, token));
}
