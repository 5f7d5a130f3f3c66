#include "model/base/utf8.h"

#include <stdio.h>
#include <string.h>

int utf8_decode(const char *text, size_t size, uint32_t *code) {
    const unsigned char *byte = (const unsigned char *)text;
    uint32_t value = byte[0];
    int length = value < 0x80 ? 1 : value < 0xC2 ? -1 : value < 0xE0 ? 2 : value < 0xF0 ? 3 : 4;
    if (length < 0 || value > 0xF4) return -1;
    if (length > 1) value &= 0x7Fu >> length;
    for (int i = 1; i < length; i++) {
        if ((size_t)i == size) return 0;
        /* A string's NUL is not a continuation byte, so nothing past it is read. */
        if ((byte[i] & 0xC0) != 0x80) return -1;
        value = value << 6 | (byte[i] & 0x3F);
    }
    bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
    if (overlong || (value >= 0xD800 && value <= 0xDFFF) || value > 0x10FFFF) return -1;
    if (code) *code = value;
    return length;
}

int utf8_next(const char *text, uint32_t *code) {
    return *text ? utf8_decode(text, UTF8_LENGTH_MAX, code) : 0;
}

uint32_t utf8_read(const char **cursor) {
    uint32_t code = 0;
    int length = utf8_next(*cursor, &code);
    *cursor += length < 0 ? 1 : length;
    return length < 0 ? UTF8_REPLACEMENT : code;
}

size_t utf8_cut(const char *text, size_t length) {
    while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80)
        length--;
    return length;
}

bool utf8_valid(const char *text) {
    int length;
    while ((length = utf8_next(text, NULL)) > 0)
        text += length;
    return length == 0;
}

bool utf8_visible(uint32_t code) {
    static const uint32_t hidden[][2] = {
        {0x0, 0x20},         /* controls and the space */
        {0x7F, 0xA0},        /* delete, controls, no-break space */
        {0xAD, 0xAD},        /* soft hyphen */
        {0x300, 0x36F},      /* combining marks */
        {0x61C, 0x61C},      /* a direction mark */
        {0x1680, 0x1680},    /* a space */
        {0x180B, 0x180F},    /* Mongolian selectors */
        {0x2000, 0x200F},    /* spaces, joiners, direction marks */
        {0x2028, 0x202F},    /* line ends, direction overrides */
        {0x205F, 0x206F},    /* spaces, direction isolates */
        {0x20D0, 0x20FF},    /* combining marks for symbols */
        {0x3000, 0x3000},    /* a space */
        {0xE000, 0xF8FF},    /* private use */
        {0xFE00, 0xFE0F},    /* variation selectors */
        {0xFEFF, 0xFEFF},    /* byte order mark */
        {0xFFF0, 0xFFFF},    /* specials, except U+FFFC and U+FFFD */
        {0xE0000, 0x10FFFF}, /* tags, more selectors, private use */
    };
    if (code == 0xFFFC || code == 0xFFFD) return true;
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++)
        if (code >= hidden[i][0] && code <= hidden[i][1]) return false;
    return true;
}

void utf8_name(char name[UTF8_NAME_SIZE], const char *text) {
    uint32_t code = 0;
    int length = utf8_next(text, &code);
    if (length < 0)
        snprintf(name, UTF8_NAME_SIZE, "the byte \\x%02X", (unsigned)(unsigned char)text[0]);
    else if (code == ' ')
        snprintf(name, UTF8_NAME_SIZE, "a space");
    else if (!utf8_visible(code))
        snprintf(name, UTF8_NAME_SIZE, "U+%04X", (unsigned)code);
    else if (code < 0x80)
        snprintf(name, UTF8_NAME_SIZE, "'%c'", (int)code);
    else
        snprintf(name, UTF8_NAME_SIZE, "'%.*s' (U+%04X)", length, text, (unsigned)code);
}

void utf8_quote(char quote[UTF8_QUOTE_SIZE], const char *text) {
    enum { CHARS_MAX = 40, PIECE = 12 };
    static const char ellipsis[] = "…\"";
    size_t used = 0;
    quote[used++] = '"';
    for (int count = 0; *text && count < CHARS_MAX; count++) {
        char piece[PIECE];
        uint32_t code = 0;
        int length = utf8_next(text, &code);
        if (length < 0)
            snprintf(piece, PIECE, "\\x%02X", (unsigned)(unsigned char)text[0]);
        else if (code == ' ' || utf8_visible(code))
            snprintf(piece, PIECE, "%.*s", length, text);
        else
            snprintf(piece, PIECE, "U+%04X", (unsigned)code);
        size_t size = strlen(piece);
        if (used + size + sizeof ellipsis > UTF8_QUOTE_SIZE) break;
        memcpy(quote + used, piece, size);
        used += size;
        text += length < 0 ? 1 : length;
    }
    snprintf(quote + used, UTF8_QUOTE_SIZE - used, "%s", *text ? ellipsis : "\"");
}
