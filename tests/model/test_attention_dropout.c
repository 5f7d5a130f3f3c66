/* Dropout of attention weights. The mask is made visible: with one-hot values the context is the
 * row of dropped weights, and with a one-hot gradient above, so is the gradient of the values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "tests/model/helper_attention.h"
#include "tests/model/helper_network.h"

enum { B = 2, H = 3, STEPS = 24, W = H * STEPS }; /* Tq = Tk = D */
static const double RATE = 0.3;

static AttentionCase one_hot_case(void) {
    Rng rng = rng_make(1, 0);
    AttentionCase c = helper_case((AttentionSizes){B, H, STEPS, STEPS, STEPS}, true, 1, &rng);
    for (int b = 0; b < B; b++)
        for (int t = 0; t < STEPS; t++)
            for (int i = 0; i < W; i++) {
                long step = b * STEPS + t;
                c.source[step * 3 * W + 2 * W + i] = i % STEPS == t;
                c.d_context[step * W + i] = i % STEPS == t;
            }
    for (int row = 0; row < B * H * STEPS; row++)
        c.key_len[row] = 1 + row % STEPS;
    c.call.dropout = dropout_make(RATE, 1234);
    return c;
}

static real weight(const AttentionCase *c, int b, int h, int query, int key) {
    return c->call.weights[((b * H + h) * STEPS + query) * attention_row(STEPS) + key];
}

static real dropped_forward(const AttentionCase *c, int b, int h, int query, int key) {
    return c->call.context.data[(b * STEPS + query) * W + h * STEPS + key];
}

static real dropped_backward(const AttentionCase *c, int b, int h, int query, int key) {
    return c->d_source[(b * STEPS + key) * 3 * W + 2 * W + h * STEPS + query];
}

static void test_stored_weights_are_whole(void **state) {
    (void)state;
    AttentionCase c = one_hot_case();
    real *with_dropout = malloc((size_t)c.weight_size * sizeof *with_dropout);
    for (const Kernels *const *set = kernels_usable(); *set; set++) {
        c.call.dropout = dropout_make(RATE, 1234);
        helper_run_forward(&c, *set);
        memcpy(with_dropout, c.call.weights, (size_t)c.weight_size * sizeof *with_dropout);
        c.call.dropout = dropout_make(0, 1234);
        helper_run_forward(&c, *set);
        assert_memory_equal(with_dropout, c.call.weights, (size_t)c.weight_size * sizeof(real));
    }
    free(with_dropout);
    helper_case_free(&c);
}

/* Each weight is either 0 or weight / (1 - rate), the same one forward and backward, by the
 * counter's word and in about the wanted share. */
static void check_masks(const AttentionCase *c, long *kept, long *seen) {
    real scale = (real)(1 / (1 - RATE));
    for (int row = 0; row < B * H * STEPS; row++) {
        int b = row / (H * STEPS), h = row / STEPS % H, query = row % STEPS;
        for (int key = 0; key < c->key_len[row]; key++) {
            real whole = weight(c, b, h, query, key) * scale;
            real dropped = dropped_forward(c, b, h, query, key);
            uint32_t index = (uint32_t)(row * attention_row(STEPS) + key);
            bool keeps = dropout_factor(c->call.dropout, index) != 0;
            assert_true(dropped == (keeps ? whole : 0));
            assert_true(dropped_backward(c, b, h, query, key) == dropped);
            *kept += dropped != 0;
            ++*seen;
        }
    }
}

static void test_mask_is_the_same_both_ways(void **state) {
    (void)state;
    AttentionCase c = one_hot_case();
    for (const Kernels *const *set = kernels_usable(); *set; set++) {
        long kept = 0, seen = 0;
        helper_run_backward(&c, *set);
        check_masks(&c, &kept, &seen);
        /* 1800 draws: a standard deviation of 0.011; four of them. */
        assert_true(fabs((double)kept / (double)seen - (1 - RATE)) < 0.044);
    }
    helper_case_free(&c);
}

/* The mean over many keys is the weight: nothing is shrunk or grown on the whole. */
static void test_mean_is_kept(void **state) {
    (void)state;
    enum { KEYS = 400 };
    AttentionCase c = one_hot_case();
    double *sum = calloc((size_t)c.context_size, sizeof *sum), gap = 0, total = 0;
    for (uint64_t key = 0; key < KEYS; key++) {
        c.call.dropout = dropout_make(RATE, rng_mix(key));
        helper_run_forward(&c, kernels_in_use());
        for (long i = 0; i < c.context_size; i++)
            sum[i] += (double)c.call.context.data[i] / KEYS;
    }
    c.call.dropout = dropout_make(0, 0);
    helper_run_forward(&c, kernels_in_use());
    for (long i = 0; i < c.context_size; i++) {
        gap += sum[i] - (double)c.call.context.data[i];
        total += (double)c.call.context.data[i];
    }
    /* 144 rows that sum to 1, with 12 weights of like size each: 700,000 draws in all, whose mean
     * has a standard deviation of sqrt(0.3/0.7/700000) = 0.0008; four of them. */
    assert_true(fabs(gap / total) < 0.0032);
    free(sum);
    helper_case_free(&c);
}

/* The path to queries and keys is dropped too: what no value can reach has no gradient. */
static void test_all_dropped_has_no_gradient(void **state) {
    (void)state;
    AttentionCase c = one_hot_case();
    c.call.dropout = (Dropout){.key = 1, .threshold = UINT32_MAX, .scale = 1};
    for (const Kernels *const *set = kernels_usable(); *set; set++) {
        helper_run_backward(&c, *set);
        assert_true(helper_largest(c.call.context.data, c.context_size) == 0);
        assert_true(helper_largest(c.d_source, c.layout.size) == 0);
    }
    helper_case_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stored_weights_are_whole),
        cmocka_unit_test(test_mask_is_the_same_both_ways),
        cmocka_unit_test(test_mean_is_kept),
        cmocka_unit_test(test_all_dropped_has_no_gradient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
