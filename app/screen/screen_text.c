/* Texts of a person, of files and of paths, made fit to be shown. */
#include <stdio.h>
#include <string.h>

#include "app/screen/screen_parts.h"
#include "model/base/utf8.h"

static bool is_control(uint32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0);
}

static bool is_clean(const char *text) {
    uint32_t code;
    int length;
    while ((length = utf8_next(text, &code)) > 0 && !is_control(code))
        text += length;
    return length == 0;
}

const char *screen_text(ScreenBuilder *builder, const char *text) {
    enum { PIECE = 8 }; /* "U+0085", "\xFF" and a NUL; each for a byte or more */
    if (!text || is_clean(text)) return text;
    char *clean = pool_take(builder->pool, strlen(text) * PIECE + 1);
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

const char *screen_token(ScreenBuilder *builder, const char *token) {
    return strcmp(token, " ") == 0 ? "␣" : pool_copy(builder->pool, screen_text(builder, token));
}
