#include "viz/text/script.h"

#include "model/base/utf8.h"

#include <hb.h>

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

/* The few format characters (Cf) that are visible: signs before Arabic and Syriac numbers and
 * words, and Kaithi number signs. */
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

bool script_is_one_character(const char *text) {
    int characters = 0;
    for (uint32_t code_point; (code_point = utf8_read(&text)) != 0;)
        characters += !script_is_mark(code_point);
    return characters <= 1;
}
