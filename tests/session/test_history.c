/* A stack of texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/session/history.h"

static char *numbered(int number) {
    char text[16];
    snprintf(text, sizeof text, "state %d", number);
    return strdup(text);
}

static void test_last_in_first_out(void **state) {
    (void)state;
    enum { TEXTS = 100 };
    History history = {0};
    for (int i = 0; i < TEXTS; i++)
        assert_true(history_push(&history, numbered(i)));
    assert_int_equal(history.count, TEXTS);
    for (int i = TEXTS - 1; i >= 0; i--) {
        char *wanted = numbered(i);
        assert_string_equal(history_top(&history), wanted);
        char *popped = history_pop(&history);
        assert_string_equal(popped, wanted);
        free(popped);
        free(wanted);
    }
    assert_null(history_top(&history));
    assert_null(history_pop(&history));
    history_clear(&history);
}

static void test_empty_and_cleared(void **state) {
    (void)state;
    History history = {0};
    assert_null(history_top(&history));
    assert_null(history_pop(&history));
    assert_false(history_push(&history, NULL));
    assert_true(history_push(&history, numbered(1)));
    assert_true(history_push(&history, numbered(2)));
    history_clear(&history);
    assert_int_equal(history.count, 0);
    assert_null(history_top(&history));
    assert_true(history_push(&history, numbered(3)));
    assert_string_equal(history_top(&history), "state 3");
    history_clear(&history);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_last_in_first_out),
                                       cmocka_unit_test(test_empty_and_cleared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
