/* The order of a line's characters from left to right. Hebrew and Arabic stand here in the order in
 * which they are read and written to a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/base/utf8.h"
#include "viz/text/bidi.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

/* Appends the part's characters in the order in which they stand. */
static void append_part(char *line, const BidiPart *part) {
    uint32_t code_points[MOST];
    const char *starts[MOST + 1], *at = part->start;
    signed char levels[MOST];
    int order[MOST], count = 0;
    while (at < part->start + part->length) {
        assert_true(count < MOST);
        starts[count] = at;
        order[count] = count;
        code_points[count++] = utf8_read(&at);
    }
    starts[count] = at;
    if (part->ordered) assert_true(bidi_order(code_points, count, levels, order));
    for (int i = 0; i < count; i++)
        strncat(line, starts[order[i]], (size_t)(starts[order[i] + 1] - starts[order[i]]));
}

static void letters_stand_in_order(void **state) {
    (void)state;
    static const struct {
        const char *text, *line;
    } cases[] = {
        {"", ""},
        {"encoder.0.1 (a)", "encoder.0.1 (a)"},
        {"שלום", "םולש"},
        {"שלום עולם", "םלוע םולש"},
        {"שלום!", "!םולש"},
        {"abc שלום", "abc םולש"},
        {"שלום abc", "abc םולש"},
        /* digits keep their order */
        {"חדר 12", "12 רדח"},
        {"ב־3 במאי 2021", "2021 יאמב 3־ב"},
        {"abc שלום 12!", "abc 12 םולש!"},
        {"مايو 12", "12 ويام"},
        {"٣ مايو", "ويام ٣"},
        {"٣٤", "٣٤"},
        /* Latin within one token */
        {"كتابAPIكتاب", "باتكAPIباتك"},
        {"abסגab", "abגסab"},
        /* brackets belong to what they enclose; which way they open is the shaper's business */
        {"(שלום)", ")םולש("},
        {"שלום (abc)", ")abc( םולש"},
        {"abc (שלום) d", "abc (םולש) d"},
        /* the sides of an arrow keep their places, each with its own direction */
        {"א→ב", "א→ב"},
        {"אב!→גד", "!בא→דג"},
        {"אב → cd", "בא → cd"},
        {"ab → גד", "ab → דג"},
        {"a→b → גד → e", "a→b → דג → e"},
        {"→א→", "→א→"},
        {"אב →", "בא →"},
    };
    for (size_t index = 0; index < sizeof cases / sizeof *cases; index++) {
        char line[4 * MOST] = "";
        const char *cursor = cases[index].text;
        BidiPart part;
        while (bidi_part_next(&cursor, &part))
            append_part(line, &part);
        assert_string_equal(line, cases[index].line);
        assert_int_equal(*cursor, 0);
    }
}

/* A mark stands in the line after its letter's glyph; in the order it comes before it, as the line
 * goes from right to left, and nothing comes between. */
static void marks_stay_with_their_letters(void **state) {
    (void)state;
    const uint32_t word[] = {0x05E9, 0x05C1, 0x05B8, 0x05DC}; /* shin, its dot, qamats; lamed */
    signed char levels[4];
    int order[4];
    assert_true(bidi_order(word, 4, levels, order));
    for (int i = 0; i < 4; i++) {
        assert_int_equal(order[i], 3 - i);
        assert_int_equal(levels[i], 1);
    }
    const uint32_t mixed[] = {'a', 0x0301, 0x05D0, 0x05B7, 'b', 0x200D};
    int places[6];
    signed char kinds[6];
    assert_true(bidi_order(mixed, 6, kinds, places));
    assert_int_equal(kinds[0], kinds[1]);
    assert_int_equal(kinds[2], kinds[3]);
    assert_int_equal(kinds[4], kinds[5]);
}

/* An override would turn what follows it around, out of a stranger's vocabulary. */
static void overrides_have_no_effect(void **state) {
    (void)state;
    static const uint32_t controls[] = {0x202A, 0x202B, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068};
    for (size_t index = 0; index < sizeof controls / sizeof *controls; index++) {
        assert_true(bidi_is_left_out(controls[index]));
        const uint32_t text[] = {'a', 'b', controls[index], 'c', ' ', 'd', 0x05D0, 0x05D1};
        const int expected[] = {0, 1, 2, 3, 4, 5, 7, 6};
        signed char levels[8];
        int order[8];
        assert_true(bidi_order(text, 8, levels, order));
        assert_memory_equal(order, expected, sizeof expected);
    }
    assert_true(bidi_is_left_out(0x202C) && bidi_is_left_out(0x2069));
    assert_false(bidi_is_left_out(0x200E) || bidi_is_left_out(0x200D) || bidi_is_left_out('a'));
}

static void the_first_letter_tells_the_direction(void **state) {
    (void)state;
    assert_false(bidi_is_backwards(""));
    assert_false(bidi_is_backwards("12"));
    assert_false(bidi_is_backwards("٣"));
    assert_false(bidi_is_backwards("abc שלום"));
    assert_true(bidi_is_backwards("שלום abc"));
    assert_true(bidi_is_backwards("(12) سلام"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_stand_in_order),
        cmocka_unit_test(marks_stay_with_their_letters),
        cmocka_unit_test(overrides_have_no_effect),
        cmocka_unit_test(the_first_letter_tells_the_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
