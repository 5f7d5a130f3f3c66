#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/late.h"

#include <string.h>

/* Declared as a header of such a library would. */
extern double cbrt(double value);

#define FUNCTIONS(VALUE) VALUE(double, cbrt, (double value), (value))
FUNCTIONS(LATE_VALUE)

#ifdef __linux__
static void what_is_there_is_called(void **state) {
    (void)state;
    static const LateFunction functions[] = {FUNCTIONS(LATE_ENTRY)};
    Error error;
    for (int times = 0; times < 2; times++) {
        assert_true(late_open("libm.so.6", functions, 1, &error));
        volatile double value = 27; /* or the compiler knows the answer */
        assert_float_equal(cbrt(value), 3, 1e-6F);
    }
}
#endif

static void what_is_not_there_is_named(void **state) {
    (void)state;
    static const LateFunction functions[] = {FUNCTIONS(LATE_ENTRY)};
    Error error = {0};
    assert_false(late_open("libheadscope-has-none.so.7", functions, 1, &error));
    assert_int_equal(error.kind, ERROR_FAILED);
    assert_non_null(strstr(error.text, "libheadscope-has-none.so.7"));
}

#ifdef __linux__
static void a_lack_of_functions_is_named(void **state) {
    (void)state;
    void *pointer;
    const LateFunction functions[] = {{"cosh", &pointer}, {"headscope_has_none", &pointer}};
    Error error = {0};
    assert_false(late_open("libm.so.6", functions, 2, &error));
    assert_non_null(strstr(error.text, "headscope_has_none"));
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
#ifdef __linux__
        cmocka_unit_test(what_is_there_is_called),
        cmocka_unit_test(a_lack_of_functions_is_named),
#endif
        cmocka_unit_test(what_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
