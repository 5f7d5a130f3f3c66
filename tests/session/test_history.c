/* A stack of states. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/session/history.h"

static State numbered(int number) {
    return (State){.step = number};
}

static bool push(History *history, int number) {
    State state = numbered(number);
    return history_push(history, &state);
}

static void assert_popped(History *history, int number) {
    State state;
    assert_true(history_pop(history, &state));
    assert_int_equal(state.step, number);
    state_free(&state);
}

static void test_last_in_first_out(void **state) {
    (void)state;
    enum { STATES = 100 };
    State popped;
    History history = {0};
    for (int i = 0; i < STATES; i++)
        assert_true(push(&history, i));
    assert_int_equal(history.count, STATES);
    for (int i = STATES - 1; i >= 0; i--)
        assert_popped(&history, i);
    assert_false(history_pop(&history, &popped));
    history_clear(&history);
}

static void test_empty_and_cleared(void **state) {
    (void)state;
    State popped;
    History history = {0};
    assert_false(history_pop(&history, &popped));
    assert_true(push(&history, 1));
    assert_true(push(&history, 2));
    history_clear(&history);
    assert_int_equal(history.count, 0);
    assert_false(history_pop(&history, &popped));
    assert_true(push(&history, 3));
    assert_popped(&history, 3);
    history_clear(&history);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_last_in_first_out),
                                       cmocka_unit_test(test_empty_and_cleared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
