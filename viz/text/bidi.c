#include "viz/text/bidi.h"

#include "model/base/utf8.h"

#include <fribidi.h>
#include <stdlib.h>

enum { ARROW = 0x2192 };

bool bidi_is_left_out(uint32_t code_point) {
    return (code_point >= 0x202A && code_point <= 0x202E) ||
           (code_point >= 0x2066 && code_point <= 0x2069);
}

static FriBidiCharType type_of(uint32_t code_point) {
    return bidi_is_left_out(code_point) ? FRIBIDI_TYPE_BN : fribidi_get_bidi_type(code_point);
}

/* True for right-to-left characters and for Arabic digits, which affect the signs around them. */
static bool needs_order(uint32_t code_point) {
    FriBidiCharType type = type_of(code_point);
    return FRIBIDI_IS_RTL(type) || type == FRIBIDI_TYPE_AN;
}

/* The text between two arrows, without the spaces beside them. */
typedef struct BidiStretch {
    const char *start, *end;
    const char *next; /* past the arrow and the spaces after it, or the end of the text */
    bool ordered;
} BidiStretch;

static BidiStretch stretch_at(const char *text) {
    BidiStretch stretch = {.start = text, .end = text};
    bool past_arrow = false;
    for (;;) {
        stretch.next = text;
        uint32_t code_point = utf8_read(&text);
        if (code_point == 0 || (past_arrow && code_point != ' ')) return stretch;
        if (code_point == ARROW) past_arrow = true;
        if (past_arrow) continue;
        if (code_point != ' ') stretch.end = text;
        stretch.ordered = stretch.ordered || needs_order(code_point);
    }
}

bool bidi_part_next(const char **cursor, BidiPart *part) {
    const char *start = *cursor, *at = start;
    if (!*start) return false;
    BidiStretch stretch = stretch_at(at);
    while (!stretch.ordered && *stretch.next)
        stretch = stretch_at(at = stretch.next);
    bool before = !stretch.ordered || stretch.start > start; /* the part before it comes first */
    *cursor = !stretch.ordered ? stretch.next : before ? stretch.start : stretch.end;
    *part = (BidiPart){start, (size_t)(*cursor - start), !before};
    return true;
}

/* Room for one call of FriBidi. */
typedef struct BidiWork {
    FriBidiCharType *types;
    FriBidiBracketType *brackets;
} BidiWork;

static bool set_levels(const BidiWork *work, const uint32_t *code_points, int count,
                       signed char *levels, int *order) {
    FriBidiParType direction =
        FRIBIDI_PAR_WLTR; /* of the first strong character, else left to right */
    for (int i = 0; i < count; i++) {
        work->types[i] = type_of(code_points[i]);
        order[i] = i;
    }
    fribidi_get_bracket_types(code_points, count, work->types, work->brackets);
    if (!fribidi_get_par_embedding_levels_ex(work->types, work->brackets, count, &direction,
                                             levels))
        return false;
    /* a mark stays with its base character */
    for (int i = 1; i < count; i++)
        if (work->types[i] == FRIBIDI_TYPE_NSM || work->types[i] == FRIBIDI_TYPE_BN)
            levels[i] = levels[i - 1];
    return fribidi_reorder_line(FRIBIDI_FLAGS_DEFAULT & ~FRIBIDI_FLAG_REORDER_NSM, work->types,
                                count, 0, direction, levels, NULL, order) != 0;
}

bool bidi_order(const uint32_t *code_points, int count, signed char *levels, int *order) {
    BidiWork work = {malloc((size_t)count * sizeof *work.types),
                     malloc((size_t)count * sizeof *work.brackets)};
    bool good = work.types && work.brackets && set_levels(&work, code_points, count, levels, order);
    free(work.types);
    free(work.brackets);
    return good;
}

bool bidi_is_backwards(const char *text) {
    for (uint32_t code_point; (code_point = utf8_read(&text)) != 0;) {
        FriBidiCharType type = type_of(code_point);
        if (FRIBIDI_IS_STRONG(type)) return FRIBIDI_IS_RTL(type);
    }
    return false;
}
