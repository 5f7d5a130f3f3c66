/* Masks as counts, for every head alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/kernels/mask.h"

enum { B = 3, H = 2, T = 4 };
static const int VALID_LENS[B] = {3, 0, 6}; /* 6: more keys than queries */

static void assert_key_len(const int *key_len, const int expected[B][T]) {
    for (int b = 0; b < B; b++)
        for (int h = 0; h < H; h++)
            for (int t = 0; t < T; t++)
                assert_int_equal(key_len[(b * H + h) * T + t], expected[b][t]);
}

static void test_padding(void **state) {
    (void)state;
    static const int expected[B][T] = {{3, 3, 3, 3}, {0, 0, 0, 0}, {6, 6, 6, 6}};
    int key_len[B * H * T];
    mask_fill(key_len, VALID_LENS, B, H, T, false);
    assert_key_len(key_len, expected);
}

static void test_causal(void **state) {
    (void)state;
    static const int expected[B][T] = {{1, 2, 3, 3}, {0, 0, 0, 0}, {1, 2, 3, 4}};
    int key_len[B * H * T];
    mask_fill(key_len, VALID_LENS, B, H, T, true);
    assert_key_len(key_len, expected);
}

/* D2L's dec_valid_lens, 1 to T for each example: causality said as lengths. */
static void test_per_query(void **state) {
    (void)state;
    static const int lens[B][T] = {{1, 2, 3, 4}, {4, 0, 2, 1}, {1, 2, 3, 4}};
    int key_len[B * H * T];
    mask_fill_per_query(key_len, &lens[0][0], B, H, T);
    assert_key_len(key_len, lens);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_padding),
        cmocka_unit_test(test_causal),
        cmocka_unit_test(test_per_query),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
