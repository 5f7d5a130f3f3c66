#include "viz/text_run.h"

static bool is_space(uint32_t code_point) {
    return code_point == ' ' || code_point == 0xA0;
}

/* Tabs, line ends and the like have no picture in any font that is worth showing. */
static bool is_control(uint32_t code_point) {
    return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0);
}

/* Spaces between two words of one script belong to the run: else right-to-left words would stand
 * in the wrong order. */
static bool spaces_within(const char *rest, const TextRun *run) {
    uint32_t code_point;
    do
        code_point = script_next(&rest);
    while (is_space(code_point));
    return script_same(script_of(code_point), run->script);
}

static bool belongs(const TextRun *run, uint32_t code_point, const char *rest, Fonts *fonts,
                    bool bold) {
    if (script_is_mark(code_point)) return true;
    if (run->face == FACE_NONE || is_control(code_point)) return false;
    if (is_space(code_point) && run->script)
        return spaces_within(rest, run) && fonts_face_has(fonts, run->face, code_point);
    return script_same(script_of(code_point), run->script) &&
           fonts_face_for(fonts, code_point, bold) == run->face;
}

bool text_run_next(const char **cursor, Fonts *fonts, bool bold, TextRun *run) {
    run->start = *cursor;
    run->first = script_next(cursor);
    if (run->first == 0) return false;
    run->script = script_of(run->first);
    run->face = is_control(run->first) ? FACE_NONE : fonts_face_for(fonts, run->first, bold);
    for (;;) {
        const char *rest = *cursor;
        uint32_t code_point = script_next(&rest);
        if (code_point == 0 || !belongs(run, code_point, rest, fonts, bold)) break;
        *cursor = rest;
    }
    run->length = (size_t)(*cursor - run->start);
    return true;
}
