#include "viz/canvas/svg_text.h"

#include "model/base/utf8.h"
#include "viz/text/bidi.h"

#include <math.h>

#define FIRST_STRONG_ISOLATE "\xE2\x81\xA8" /* U+2068 */
#define POP_ISOLATE          "\xE2\x81\xA9" /* U+2069 */

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

/* Characters that XML forbids or that would change the direction of the text. */
static bool is_left_out(uint32_t code_point) {
    return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0) || code_point == 0x2028 ||
           code_point == 0x2029 || bidi_is_left_out(code_point) || (code_point & 0xFFFE) == 0xFFFE;
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

static void put_characters(FILE *stream, const char *text, const char *end) {
    while (text < end) {
        const char *at = text;
        uint32_t code_point = utf8_read(&at);
        if (!is_left_out(code_point)) put_character(stream, code_point, text, (size_t)(at - text));
        text = at;
    }
}

void svg_put_text(FILE *stream, const char *text) {
    BidiPart part;
    while (bidi_part_next(&text, &part)) {
        if (part.ordered) fputs(FIRST_STRONG_ISOLATE, stream);
        put_characters(stream, part.start, part.start + part.length);
        if (part.ordered) fputs(POP_ISOLATE, stream);
    }
}
