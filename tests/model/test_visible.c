/* Letters that steer a terminal, or turn text round, stand as escapes; all others as they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "model/base/error.h"
#include "model/base/visible.h"

static void assert_visible(const char *text, const char *expected) {
    char out[200];
    visible_text(out, sizeof out, text);
    assert_string_equal(out, expected);
}

static void test_texts(void **state) {
    (void)state;
    assert_visible("plain, and so on: äöü→日本語😀 العربية",
                   "plain, and so on: äöü→日本語😀 العربية");
    assert_visible("\x1b[31m\a\b\r\n\t\x7f", "\\x1b[31m\\x07\\x08\\x0d\\x0a\\x09\\x7f");
    assert_visible("\xC2\x80\xC2\x9B"
                   "1m\xC2\x9F\xC2\xA0",
                   "\\u0080\\u009b1m\\u009f\xC2\xA0");
    assert_visible("a\u202Ab\u202Bc\u202Cd\u202De\u202Ef",
                   "a\\u202ab\\u202bc\\u202cd\\u202de\\u202ef");
    assert_visible("\u2066\u2067\u2068\u2069\u200E\u200F\u061C", //
                   "\\u2066\\u2067\\u2068\\u2069\\u200e\\u200f\\u061c");
    assert_visible("\u2028\u2029", "\\u2028\\u2029");
    assert_visible("\u200B\u200C\u200D\u2065\u206A", "\u200B\u200C\u200D\u2065\u206A");
    /* no UTF-8: bytes that a terminal of eight bits takes for control characters, too */
    assert_visible("\x9b"
                   "31m\xff\xc2",
                   "\\x9b31m\\xff\\xc2");
    assert_visible("\xe2\x80", "\\xe2\\x80");
    assert_visible("\xe2\x80 \xc0\x80", "\\xe2\\x80 \\xc0\\x80");
}

/* Where it ends, no letter and no escape is cut. */
static void test_room(void **state) {
    (void)state;
    for (size_t size = 1; size < 12; size++) {
        char out[12];
        memset(out, 'x', sizeof out);
        visible_text(out, size, "ä\x1b→b");
        assert_true(strlen(out) < size);
        assert_int_equal(strncmp(out, "ä\\x1b→b", strlen(out)), 0);
        assert_true(strlen(out) == 0 || strlen(out) == 2 || strlen(out) == 6 || strlen(out) == 9 ||
                    strlen(out) == 10);
    }
}

static void test_labels_and_tokens(void **state) {
    (void)state;
    Pool pool = {0};
    const char *plain = "März → 日";
    assert_ptr_equal(visible_label(&pool, plain), plain);
    assert_null(visible_label(&pool, NULL));
    assert_string_equal(visible_label(&pool, "a\n\xC2\x85\xFFz\xC3"), "aU+000AU+0085\\xFFz\\xC3");
    assert_string_equal(visible_token(&pool, " "), "␣");
    assert_string_equal(visible_token(&pool, "  "), "  ");
    assert_string_equal(visible_token(&pool, "\t"), "U+0009");
    pool_free(&pool);
}

static void test_errors(void **state) {
    (void)state;
    Error error;
    error_set(&error, "%s: cannot", "a\x1b\n\u202Eb");
    assert_string_equal(error.text, "a\\x1b\\x0a\\u202eb: cannot");
    error_prefix(&error, "%s", "f\x9b");
    assert_string_equal(error.text, "f\\x9b: a\\x1b\\x0a\\u202eb: cannot");
    char large[2000];
    memset(large, 27, sizeof large);
    large[sizeof large - 1] = '\0';
    error_usage(&error, "%s", large);
    assert_int_equal(strlen(error.text) % 4, 0);
    assert_true(strlen(error.text) < sizeof error.text);
    error_prefix(&error, "%s", large);
    assert_true(strlen(error.text) < sizeof error.text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_labels_and_tokens),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
