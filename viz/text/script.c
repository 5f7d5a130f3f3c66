#include "viz/text/script.h"

#include <hb.h>

/* The code point that `length` bytes from `bytes` spell; 0 if they do not spell one in the shortest
 * way. Stops at the first byte that does not belong, so it never reads past the end of the text. */
static uint32_t decode(const unsigned char *bytes, int length) {
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t code_point = bytes[0] & (0x7FU >> length);
    for (int index = 1; index < length; index++) {
        if ((bytes[index] & 0xC0) != 0x80) return 0;
        code_point = code_point << 6 | (bytes[index] & 0x3FU);
    }
    bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
    if (code_point < smallest[length] || code_point > 0x10FFFF || surrogate) return 0;
    return code_point;
}

uint32_t script_next(const char **cursor) {
    const unsigned char *bytes = (const unsigned char *)*cursor;
    if (bytes[0] == 0) return 0;
    int length = bytes[0] >= 0xF0 ? 4 : bytes[0] >= 0xE0 ? 3 : bytes[0] >= 0xC0 ? 2 : 1;
    uint32_t code_point = bytes[0];
    if (bytes[0] >= 0x80) code_point = length == 1 || bytes[0] > 0xF4 ? 0 : decode(bytes, length);
    *cursor += code_point ? length : 1;
    return code_point ? code_point : 0xFFFD;
}

Script script_of(uint32_t code_point) {
    hb_script_t script = hb_unicode_script(hb_unicode_funcs_get_default(), code_point);
    switch (script) {
    case HB_SCRIPT_COMMON:
    case HB_SCRIPT_INHERITED:
    case HB_SCRIPT_UNKNOWN:
        return 0;
    case HB_SCRIPT_LATIN:
    case HB_SCRIPT_GREEK:
    case HB_SCRIPT_CYRILLIC:
    case HB_SCRIPT_HAN:
    case HB_SCRIPT_HIRAGANA:
    case HB_SCRIPT_KATAKANA:
        return SCRIPT_PLAIN;
    default:
        return (Script)script;
    }
}

/* Of the format characters (Cf) a few have a picture: signs that stand before Arabic and Syriac
 * numbers and words. */
static bool is_sign(uint32_t code_point) {
    return (code_point >= 0x0600 && code_point <= 0x0605) || code_point == 0x06DD ||
           code_point == 0x070F || code_point == 0x0890 || code_point == 0x0891 ||
           code_point == 0x08E2 || code_point == 0x110BD || code_point == 0x110CD;
}

bool script_is_mark(uint32_t code_point) {
    switch (hb_unicode_general_category(hb_unicode_funcs_get_default(), code_point)) {
    case HB_UNICODE_GENERAL_CATEGORY_NON_SPACING_MARK:
    case HB_UNICODE_GENERAL_CATEGORY_SPACING_MARK:
    case HB_UNICODE_GENERAL_CATEGORY_ENCLOSING_MARK:
        return true;
    case HB_UNICODE_GENERAL_CATEGORY_FORMAT:
        return !is_sign(code_point);
    default:
        return false;
    }
}
