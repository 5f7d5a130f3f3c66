#include "model/base/visible.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* How many bytes a letter has by its first one; 0: it begins none. */
static size_t length_of(unsigned char first) {
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first < 0xE0) return 2;
    if (first >= 0xE0 && first < 0xF0) return 3;
    return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

static bool goes_on(char byte) {
    return ((unsigned char)byte & 0xC0) == 0x80;
}

static uint32_t code_of(const char *text, size_t letter) {
    static const unsigned char masks[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    uint32_t code = (unsigned char)text[0] & masks[letter];
    for (size_t i = 1; i < letter; i++)
        code = code << 6 | ((unsigned char)text[i] & 0x3F);
    return code;
}

/* Spelled in the shortest way, and no surrogate (Unicode 15, table 3-7). */
static bool is_valid(uint32_t code, size_t length) {
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    return code >= smallest[length] && code <= 0x10FFFF && !(code >= 0xD800 && code <= 0xDFFF);
}

size_t visible_letter(const char *text, size_t size) {
    size_t length = length_of((unsigned char)text[0]);
    if (length == 0) return 1;
    for (size_t i = 1; i < length; i++) {
        if (i == size) return 0;
        if (!goes_on(text[i])) return 1;
    }
    return is_valid(code_of(text, length), length) ? length : 1;
}

static bool steers(uint32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x61C || code == 0x200E ||
           code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069);
}

size_t visible_put(char *out, const char *text, size_t letter) {
    unsigned char first = (unsigned char)text[0];
    uint32_t code = code_of(text, letter);
    char escape[16];
    bool broken = letter == 1 && first >= 0x80;
    if (!broken && !steers(code)) {
        memcpy(out, text, letter);
        return letter;
    }
    int length = broken || code < 0x80 ? snprintf(escape, sizeof escape, "\\x%02x", first)
                                       : snprintf(escape, sizeof escape, "\\u%04x", (unsigned)code);
    memcpy(out, escape, (size_t)length);
    return (size_t)length;
}

void visible_text(char *out, size_t size, const char *text) {
    size_t used = 0, left = strlen(text);
    while (left > 0 && size > 0) {
        char put[VISIBLE_MOST];
        size_t letter = visible_letter(text, left);
        if (letter == 0) letter = 1; /* cut within: a byte that begins none */
        size_t length = visible_put(put, text, letter);
        if (used + length >= size) break;
        memcpy(out + used, put, length);
        used += length;
        text += letter;
        left -= letter;
    }
    if (size > 0) out[used] = '\0';
}
