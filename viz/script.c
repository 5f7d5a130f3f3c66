#include "viz/script.h"

#include <stddef.h>
#include <string.h>

typedef struct ScriptRange {
    uint32_t first, last;
    Script script;
} ScriptRange;

static const ScriptRange ranges[] = {
    {0x0590, 0x05FF, {"Hebr", true}},   {0x0600, 0x065F, {"Arab", true}},
    {0x066A, 0x06EF, {"Arab", true}},   {0x06FA, 0x06FF, {"Arab", true}},
    {0x0700, 0x074F, {"Syrc", true}},   {0x0750, 0x077F, {"Arab", true}},
    {0x0780, 0x07BF, {"Thaa", true}},   {0x07C0, 0x07FF, {"Nkoo", true}},
    {0x0860, 0x08FF, {"Arab", true}},   {0x0900, 0x097F, {"Deva", false}},
    {0x0980, 0x09FF, {"Beng", false}},  {0x0A00, 0x0A7F, {"Guru", false}},
    {0x0A80, 0x0AFF, {"Gujr", false}},  {0x0B00, 0x0B7F, {"Orya", false}},
    {0x0B80, 0x0BFF, {"Taml", false}},  {0x0C00, 0x0C7F, {"Telu", false}},
    {0x0C80, 0x0CFF, {"Knda", false}},  {0x0D00, 0x0D7F, {"Mlym", false}},
    {0x0D80, 0x0DFF, {"Sinh", false}},  {0x0E00, 0x0E7F, {"Thai", false}},
    {0x0E80, 0x0EFF, {"Laoo", false}},  {0x0F00, 0x0FFF, {"Tibt", false}},
    {0x1000, 0x109F, {"Mymr", false}},  {0x1100, 0x11FF, {"Hang", false}},
    {0x1780, 0x17FF, {"Khmr", false}},  {0x1800, 0x18AF, {"Mong", false}},
    {0xFB1D, 0xFB4F, {"Hebr", true}},   {0xFB50, 0xFDFF, {"Arab", true}},
    {0xFE70, 0xFEFE, {"Arab", true}},   {0x10A00, 0x10A5F, {"Khar", true}},
    {0x1E900, 0x1E95F, {"Adlm", true}},
};

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

const Script *script_of(uint32_t code_point) {
    for (size_t index = 0; index < sizeof ranges / sizeof *ranges; index++)
        if (code_point >= ranges[index].first && code_point <= ranges[index].last)
            return &ranges[index].script;
    return NULL;
}

bool script_same(const Script *one, const Script *other) {
    if (!one || !other) return one == other;
    return strcmp(one->tag, other->tag) == 0;
}

bool script_is_mark(uint32_t code_point) {
    static const uint32_t marks[][2] = {
        {0x0300, 0x036F}, {0x0591, 0x05BD}, {0x05BF, 0x05C7}, {0x0610, 0x061A},
        {0x064B, 0x065F}, {0x0670, 0x0670}, {0x06D6, 0x06DC}, {0x06DF, 0x06E8},
        {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xE0100, 0xE01EF},
    };
    for (size_t index = 0; index < sizeof marks / sizeof *marks; index++)
        if (code_point >= marks[index][0] && code_point <= marks[index][1]) return true;
    return false;
}
