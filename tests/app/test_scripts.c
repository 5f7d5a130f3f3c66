/* The shell scripts of the project work with each awk that is installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

static void test_every_awk_prints_the_same_rows(void **state) {
    (void)state;
    assert_int_equal(system("sh tests/awk.sh"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_awk_prints_the_same_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
