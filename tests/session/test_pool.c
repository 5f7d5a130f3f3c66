/* Strings and arrays that are let go together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdalign.h>
#include <stdio.h>
#include <string.h>

#include "model/base/pool.h"

static void test_taken_bytes_are_zero_and_aligned(void **state) {
    (void)state;
    Pool pool = {0};
    for (int round = 0; round < 3; round++) {
        for (size_t size = 0; size < 3000; size += 7) {
            unsigned char *bytes = pool_take(&pool, size);
            assert_non_null(bytes);
            assert_int_equal((uintptr_t)bytes % alignof(max_align_t), 0);
            for (size_t i = 0; i < size; i++)
                assert_int_equal(bytes[i], 0);
            memset(bytes, 0xAB, size); /* the next round must not see it */
        }
        pool_reset(&pool);
    }
    assert_false(pool.failed);
    pool_free(&pool);
}

/* What is taken later lies apart: in more than one block, and in a large one. */
static void test_nothing_is_overwritten(void **state) {
    (void)state;
    enum { STRINGS = 5000 };
    Pool pool = {0};
    static const char *strings[STRINGS];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < STRINGS; i++)
            strings[i] = pool_format(&pool, "string %d of %d", i, round);
        char *large = pool_take(&pool, 1 << 20);
        assert_non_null(large);
        memset(large, 'x', 1 << 20);
        for (int i = 0; i < STRINGS; i++) {
            char wanted[48];
            snprintf(wanted, sizeof wanted, "string %d of %d", i, round);
            assert_string_equal(strings[i], wanted);
        }
        pool_reset(&pool);
    }
    pool_free(&pool);
}

static void test_strings(void **state) {
    (void)state;
    Pool pool = {0};
    char text[] = "abc";
    const char *copy = pool_copy(&pool, text);
    text[0] = 'x';
    assert_string_equal(copy, "abc");
    assert_string_equal(pool_copy(&pool, ""), "");
    assert_string_equal(pool_format(&pool, "%s-%03d", copy, 7), "abc-007");
    pool_free(&pool);
    pool_free(&pool);
    pool_reset(&pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_taken_bytes_are_zero_and_aligned),
                                       cmocka_unit_test(test_nothing_is_overwritten),
                                       cmocka_unit_test(test_strings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
