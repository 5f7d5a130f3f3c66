/* Curves: all values while they fit, then means of neighbours; never more points than there is room
 * for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "app/training/watch.h"

static void test_all_values_while_they_fit(void **state) {
    (void)state;
    static Curve curve;
    for (int step = 1; step < CURVE_POINTS; step++) {
        curve_add(&curve, 3 * step, step);
        assert_int_equal(curve.count, step);
        assert_int_equal(curve.points[step - 1].step, 3 * step);
        assert_true(curve.points[step - 1].value == (float)step);
    }
    assert_true(curve.points[0].value == 1);
    curve_add(&curve, 3 * CURVE_POINTS, CURVE_POINTS);
    assert_int_equal(curve.count, CURVE_POINTS / 2);
    assert_int_equal(curve.points[0].step, 6);
    assert_true(curve.points[0].value == 1.5F);
}

/* The value is the step: a point at the end of `stride` steps has the mean of them. */
static void test_a_long_run_keeps_its_shape(void **state) {
    (void)state;
    static Curve curve;
    for (int step = 1; step <= 100 * CURVE_POINTS + 7; step++) {
        curve_add(&curve, step, step);
        assert_true(curve.count < CURVE_POINTS);
    }
    assert_int_equal(curve.stride, 128);
    assert_int_equal(curve.count, (100 * CURVE_POINTS + 7) / 128);
    for (int i = 0; i < curve.count; i++) {
        assert_int_equal(curve.points[i].step, 128 * (i + 1));
        double mean = 128.0 * (i + 1) - 127 / 2.0;
        /* Floats hold such a mean to 2^-6; each of seven merges rounds once. */
        assert_true(fabs((double)curve.points[i].value - mean) < 0.1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_values_while_they_fit),
        cmocka_unit_test(test_a_long_run_keeps_its_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
