/* Strict UTF-8, and making any bytes fit for a message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "model/base/utf8.h"

static void test_lengths_and_codes(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int length;
        uint32_t code;
    } cases[] = {
        {"a", 1, 'a'},
        {"\x7F", 1, 0x7F},
        {"\xC2\x80", 2, 0x80},
        {"ä", 2, 0xE4},
        {"\xDF\xBF", 2, 0x7FF},
        {"\xE0\xA0\x80", 3, 0x800},
        {"→", 3, 0x2192},
        {"\xED\x9F\xBF", 3, 0xD7FF},
        {"\xEE\x80\x80", 3, 0xE000},
        {"\xF0\x90\x80\x80", 4, 0x10000},
        {"\xF4\x8F\xBF\xBF", 4, 0x10FFFF},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t code = 0;
        assert_int_equal(utf8_next(cases[i].text, &code), cases[i].length);
        assert_int_equal(code, cases[i].code);
        assert_true(utf8_valid(cases[i].text));
    }
    assert_int_equal(utf8_next("", NULL), 0);
    assert_true(utf8_valid(""));
    assert_true(utf8_valid("Mär z→"));
}

static void test_refused_bytes(void **state) {
    (void)state;
    static const char *const bad[] = {
        "\x80",             /* a continuation alone */
        "\xBF",             /* the last of these */
        "\xC0\x80",         /* overlong NUL */
        "\xC1\xBF",         /* overlong 0x7F */
        "\xC3",             /* cut */
        "\xC3(",            /* no continuation */
        "\xE0\x9F\xBF",     /* overlong 0x7FF */
        "\xE2\x86",         /* cut */
        "\xED\xA0\x80",     /* the first surrogate */
        "\xED\xBF\xBF",     /* the last surrogate */
        "\xF0\x8F\xBF\xBF", /* overlong 0xFFFF */
        "\xF0\x90\x80",     /* cut */
        "\xF4\x90\x80\x80", /* 0x110000 */
        "\xF5\x80\x80\x80", /* no such lead */
        "\xFF",             /* no such byte */
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char behind[8] = "a";
        strcat(behind, bad[i]);
        assert_int_equal(utf8_next(bad[i], NULL), -1);
        assert_false(utf8_valid(bad[i]));
        assert_false(utf8_valid(behind));
    }
}

/* All code points, encoded here by the definition: those that are no surrogate come back. */
static void test_every_code_point(void **state) {
    (void)state;
    for (uint32_t code = 1; code <= 0x10FFFF; code++) {
        char text[5] = {0};
        int length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        static const unsigned lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
        for (int i = length - 1; i > 0; i--)
            text[i] = (char)(0x80 | ((code >> 6 * (length - 1 - i)) & 0x3F));
        text[0] = (char)(lead[length] | code >> 6 * (length - 1));
        uint32_t read = 0;
        int expected = code >= 0xD800 && code <= 0xDFFF ? -1 : length;
        if (utf8_next(text, &read) != expected) fail_msg("length of U+%04X", (unsigned)code);
        if (expected > 0 && read != code) fail_msg("code of U+%04X", (unsigned)code);
    }
}

/* Where the bytes end within a character is told from bytes that are none. */
static void test_bytes_without_an_end(void **state) {
    (void)state;
    uint32_t code = 0;
    assert_int_equal(utf8_decode("→", 3, &code), 3);
    assert_int_equal(code, 0x2192);
    assert_int_equal(utf8_decode("→", 2, NULL), 0);
    assert_int_equal(utf8_decode("→", 1, NULL), 0);
    assert_int_equal(utf8_decode("\xE2(", 2, NULL), -1);
    assert_int_equal(utf8_decode("\xE2(", 1, NULL), 0);
    assert_int_equal(utf8_decode("\xFF", 1, NULL), -1);
    assert_int_equal(utf8_decode("", 1, &code), 1);
    assert_int_equal(code, 0);
}

static void test_reading_and_cutting(void **state) {
    (void)state;
    static const uint32_t expected[] = {'a', 0x2192, 0xFFFD, 0xFFFD, '(', 0xFFFD, 0xFFFD, 0, 0};
    const char *cursor = "a→\xFF\xC3(\xE2\x86";
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        assert_int_equal(utf8_read(&cursor), expected[i]);
    static const size_t cuts[] = {0, 1, 1, 1, 4, 5};
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++)
        assert_int_equal(utf8_cut("a→b", i), cuts[i]);
}

static void assert_name(const char *text, const char *expected) {
    char name[UTF8_NAME_SIZE];
    utf8_name(name, text);
    assert_string_equal(name, expected);
}

static void test_names(void **state) {
    (void)state;
    assert_name("q", "'q'");
    assert_name("qrs", "'q'");
    assert_name(" ", "a space");
    assert_name("äb", "'ä' (U+00E4)");
    assert_name("\xF4\x8F\xBF\xBF", "U+10FFFF");
    assert_name("\xF0\x9F\x98\x80", "'\xF0\x9F\x98\x80' (U+1F600)");
    assert_name("\a", "U+0007");
    assert_name("\x1B[31m", "U+001B");
    assert_name("\x7F", "U+007F");
    assert_name("\xC2\x9B", "U+009B");     /* a control of the terminal */
    assert_name("\xC2\xA0", "U+00A0");     /* no-break space */
    assert_name("\xCC\x88", "U+0308");     /* a diaeresis to combine, as macOS writes ä */
    assert_name("\xE2\x80\xAE", "U+202E"); /* turns the direction of the line */
    assert_name("\xEF\xBB\xBF", "U+FEFF"); /* byte order mark */
    assert_name("\xFF", "the byte \\xFF");
    assert_name("\xC3(", "the byte \\xC3");
}

static void assert_quote(const char *text, const char *expected) {
    char quote[UTF8_QUOTE_SIZE];
    memset(quote, '#', sizeof quote);
    utf8_quote(quote, text);
    assert_string_equal(quote, expected);
}

static void test_quotes(void **state) {
    (void)state;
    assert_quote("", "\"\"");
    assert_quote("3. März", "\"3. März\"");
    assert_quote("a\nb\xFFz", "\"aU+000Ab\\xFFz\"");
    assert_quote("0123456789012345678901234567890123456789",
                 "\"0123456789012345678901234567890123456789\"");
    assert_quote("0123456789012345678901234567890123456789!",
                 "\"0123456789012345678901234567890123456789…\"");
}

/* However wide its characters are shown, a quotation stays inside its buffer and is closed. */
static void test_quotes_of_wide_characters_fit(void **state) {
    (void)state;
    static const char *const wide[] = {"\xF4\x8F\xBF\xBF", "\xF0\x9F\x98\x80", "\xFF", "\x1B", "→"};
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++) {
        char text[4 * 60 + 1] = "", quote[UTF8_QUOTE_SIZE];
        for (int j = 0; j < 60; j++)
            strcat(text, wide[i]);
        utf8_quote(quote, text);
        size_t length = strlen(quote);
        assert_true(length < UTF8_QUOTE_SIZE && utf8_valid(quote));
        assert_string_equal(quote + length - 4, "…\"");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lengths_and_codes),
        cmocka_unit_test(test_refused_bytes),
        cmocka_unit_test(test_every_code_point),
        cmocka_unit_test(test_bytes_without_an_end),
        cmocka_unit_test(test_reading_and_cutting),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_quotes),
        cmocka_unit_test(test_quotes_of_wide_characters_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
