/* The helpers that everything stands on: limits of numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/base/minmax.h"

static void limits_numbers(void **state) {
    (void)state;
    assert_int_equal(int_min(-2, 3), -2);
    assert_int_equal(int_max(-2, 3), 3);
    assert_int_equal(int_clamp(-2, 0, 5), 0);
    assert_int_equal(int_clamp(3, 0, 5), 3);
    assert_int_equal(int_clamp(7, 0, 5), 5);
    assert_int_equal(int_clamp(7, 4, 2), 2);
    assert_true(size_min(3, SIZE_MAX) == 3);
    assert_true(float_clamp(1.5F, 0, 1) == 1);
    assert_true(float_clamp(-1.5F, 0, 1) == 0);
    assert_true(float_clamp(NAN, 0, 1) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_numbers),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
