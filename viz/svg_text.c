#include "viz/svg_text.h"

#include "viz/script.h"

#include <math.h>

#define LEFT_TO_RIGHT_MARK "\xE2\x80\x8E"

void svg_put_number(FILE *stream, double number) {
    long long thousandths = llround(number * 1000);
    if (thousandths < 0) {
        fputc('-', stream);
        thousandths = -thousandths;
    }
    fprintf(stream, "%lld", thousandths / 1000);
    int rest = (int)(thousandths % 1000), digits = 3;
    if (rest == 0) return;
    while (rest % 10 == 0) {
        rest /= 10;
        digits--;
    }
    fprintf(stream, ".%0*d", digits, rest);
}

/* What an SVG must not hold, or what would turn the text around. */
static bool is_left_out(uint32_t code_point) {
    return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0) ||
           (code_point >= 0x200E && code_point <= 0x200F) ||
           (code_point >= 0x2028 && code_point <= 0x202E) ||
           (code_point >= 0x2066 && code_point <= 0x2069) || (code_point & 0xFFFE) == 0xFFFE;
}

static void put_character(FILE *stream, uint32_t code_point, const char *bytes, size_t length) {
    switch (code_point) {
    case '&':
        fputs("&amp;", stream);
        break;
    case '<':
        fputs("&lt;", stream);
        break;
    case '>':
        fputs("&gt;", stream);
        break;
    case '"':
        fputs("&quot;", stream);
        break;
    case 0xFFFD:
        fputs("\xEF\xBF\xBD", stream);
        break;
    default:
        fwrite(bytes, 1, length, stream);
    }
}

static bool is_right_to_left(uint32_t code_point) {
    const Script *script = script_of(code_point);
    return script && script->right_to_left;
}

/* Whether a stretch of a right-to-left script ends before `rest`: spaces between two words of it
 * and marks belong to it. */
static bool stretch_ends(const char *rest) {
    uint32_t code_point = script_next(&rest);
    if (script_is_mark(code_point) || code_point == 0) return false;
    while (code_point == ' ' || code_point == 0xA0)
        code_point = script_next(&rest);
    return code_point != 0 && !is_right_to_left(code_point);
}

void svg_put_text(FILE *stream, const char *text) {
    bool turned = false; /* in a stretch */
    for (const char *at = text;;) {
        uint32_t code_point = script_next(&at);
        if (code_point == 0) return;
        if (!is_left_out(code_point)) put_character(stream, code_point, text, (size_t)(at - text));
        text = at;
        if (!script_is_mark(code_point) && code_point != ' ' && code_point != 0xA0)
            turned = is_right_to_left(code_point);
        if (turned && stretch_ends(at)) {
            fputs(LEFT_TO_RIGHT_MARK, stream);
            turned = false;
        }
    }
}
