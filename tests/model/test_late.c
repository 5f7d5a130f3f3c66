#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define HEADSCOPE_LATE /* whether or not the program's libraries are linked */
#include "model/base/late.h"

#include <string.h>

#ifdef __linux__
/* Declared as a header of such a library would. */
extern double cbrt(double value);

#define FUNCTIONS(VALUE, NOTHING) VALUE(double, cbrt, (double value), (value))
LATE_LIBRARY(open_late, FUNCTIONS, "libm.so.6", "roots", "Takes cubic roots", "suggested")

static void what_is_there_is_called(void **state) {
    (void)state;
    Error error;
    for (int times = 0; times < 2; times++) {
        assert_true(open_late(&error));
        volatile double value = 27; /* or the compiler knows the answer */
        assert_float_equal(cbrt(value), 3, 1e-6F);
    }
}
#endif

static void what_is_not_there_is_named(void **state) {
    (void)state;
    void *pointer;
    const LateFunction functions[] = {{"cbrt", &pointer}};
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

/* The bytes that the specification of the notes asks for. */
#ifdef __linux__
static void the_note_is_as_specified(void **state) {
    (void)state;
    const char *json = "[{\"feature\":\"roots\",\"description\":\"Takes cubic roots\","
                       "\"priority\":\"suggested\",\"soname\":[\"libm.so.6\"]}]";
    const uint32_t head[3] = {4, (uint32_t)strlen(json) + 1, 0x407c0c0a};
    const char *note = (const char *)&open_late_note;
    assert_int_equal((uintptr_t)note % 4, 0);
    assert_int_equal(sizeof open_late_note % 4, 0);
    assert_memory_equal(note, head, sizeof head);
    assert_string_equal(note + 12, "FDO");
    assert_string_equal(note + 16, json);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
#ifdef __linux__
        cmocka_unit_test(what_is_there_is_called),
        cmocka_unit_test(the_note_is_as_specified),
        cmocka_unit_test(a_lack_of_functions_is_named),
#endif
        cmocka_unit_test(what_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
