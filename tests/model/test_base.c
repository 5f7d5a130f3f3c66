/* The helpers that everything stands on: limits of numbers, loops over floats in each instruction
 * set.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "model/base/floats.h"
#include "model/base/minmax.h"
#include "model/base/thread.h"

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

/* --- loops over floats ------------------------------------------------------------------------ */

enum { MOST = 70 };

/* Every number of values up to MOST: whole vectors of every set and all rests. */
static void for_each_set(void (*check)(SimdSet set, int count)) {
    for (int set = SIMD_BASE; set <= (int)simd_best(); set++)
        for (int count = 0; count <= MOST; count++)
            check((SimdSet)set, count);
}

static void check_odd_values(SimdSet set, int count) {
    float values[MOST];
    const float odd[] = {INFINITY, -INFINITY, NAN};
    for (int at = 0; at < count; at++)
        for (int which = 0; which < 3; which++) {
            for (int i = 0; i < count; i++)
                values[i] = (float)i - 3;
            assert_true(SIMD_PICK_OF(set, floats_finite)(values, count));
            assert_int_equal(SIMD_PICK_OF(set, floats_clean)(values, count), 0);
            values[at] = odd[which];
            assert_false(SIMD_PICK_OF(set, floats_finite)(values, count));
            assert_int_equal(SIMD_PICK_OF(set, floats_clean)(values, count), 1);
            for (int i = 0; i < count; i++)
                assert_true(i == at ? isnan(values[i]) : values[i] == (float)i - 3);
        }
}

static void check_sum(SimdSet set, int count) {
    float values[MOST];
    for (int i = 0; i < count; i++)
        values[i] = (float)i + 0.5F;
    assert_true(SIMD_PICK_OF(set, floats_sum)(values, count) == count * count / 2.0);
}

static void check_end(SimdSet set, int count) {
    for (int end = 0; end <= count; end++) {
        float values[MOST] = {0};
        for (int i = 0; i < end; i += 2)
            values[i] = i % 4 ? 1 : NAN;
        int last = end % 2 ? end : end - 1; /* every second value is 0 */
        for (int min = 0; min <= count; min += 3)
            assert_int_equal(SIMD_PICK_OF(set, floats_end)(values, count, min),
                             int_max(end ? last : 0, min));
    }
}

/* 2e-6 bits a term, and the rounding of a float sum of up to MOST terms below 1. */
static void check_entropy(SimdSet set, int count) {
    float p[MOST], q[MOST];
    if (count % FLOATS_LANES) return;
    double entropy = 0, of_mean = 0;
    for (int i = 0; i < count; i++) {
        p[i] = i % 5 ? (float)i / (MOST * 40) : 0;
        q[i] = i % 3 ? 0.9F / (float)(i + 1) : 0;
        double one = (double)p[i], mean = ((double)p[i] + (double)q[i]) / 2;
        entropy -= one > 0 ? one * log2(one) : 0;
        of_mean -= mean > 0 ? mean * log2(mean) : 0;
    }
    float found = SIMD_PICK_OF(set, floats_entropy)(p, count);
    float found_of_mean = SIMD_PICK_OF(set, floats_entropy_of_mean)(p, q, count);
    assert_true(fabs((double)found - entropy) < 2e-4);
    assert_true(fabs((double)found_of_mean - of_mean) < 2e-4);
    assert_true(found == floats_entropy_base(p, count));
    assert_true(found_of_mean == floats_entropy_of_mean_base(p, q, count));
}

static void check_conversions(SimdSet set, int count) {
    float out[MOST];
    double doubles[MOST] = {0};
    uint16_t halves[MOST] = {0}, bfloats[MOST] = {0};
    for (int i = 0; i < count; i++) {
        doubles[i] = 1.0 / (i + 1);
        halves[i] = (uint16_t)(0x3C00 + 0x400 * (i % 15)); /* 2^(i % 15) */
        bfloats[i] = (uint16_t)(0x3F80 + 0x80 * (i % 15));
    }
    SIMD_PICK_OF(set, floats_from_doubles)(out, (const unsigned char *)doubles, (size_t)count);
    for (int i = 0; i < count; i++)
        assert_true(out[i] == (float)doubles[i]);
    SIMD_PICK_OF(set, floats_from_halves)(out, (const unsigned char *)halves, (size_t)count);
    for (int i = 0; i < count; i++)
        assert_true(out[i] == (float)(1 << i % 15));
    SIMD_PICK_OF(set, floats_from_bfloats)(out, (const unsigned char *)bfloats, (size_t)count);
    for (int i = 0; i < count; i++)
        assert_true(out[i] == (float)(1 << i % 15));
}

static void sets_agree(void **state) {
    (void)state;
    for_each_set(check_odd_values);
    for_each_set(check_sum);
    for_each_set(check_end);
    for_each_set(check_entropy);
    for_each_set(check_conversions);
}

static void base_is_always_there(void **state) {
    (void)state;
    assert_true(simd_in_use() <= simd_best());
    assert_ptr_equal(SIMD_PICK_OF(SIMD_BASE, floats_sum), floats_sum_base);
}

static void count_up(void *context) {
    *(int *)context += 1;
}

/* A thread that was joined, or never started, is not waited for again. */
static void thread_runs_once(void **state) {
    (void)state;
    Thread thread = {0};
    int count = 0;
    thread_join(&thread);
    for (int round = 1; round <= 3; round++) {
        assert_true(thread_start(&thread, count_up, &count));
        thread_join(&thread);
        thread_join(&thread);
        assert_int_equal(count, round);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_numbers),
        cmocka_unit_test(sets_agree),
        cmocka_unit_test(base_is_always_there),
        cmocka_unit_test(thread_runs_once),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
