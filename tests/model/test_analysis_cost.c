/* What attention costs: the formulas against counts of what loops really do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/analysis/cost.h"
#include "model/base/rng.h"
#include "model/kernels/attention_plain.h"
#include "tests/model/helper_copies.h"

static CostCall random_call(Rng *rng) {
    CostCall call = {.batch = copies_between(rng, 1, 4),
                     .queries = copies_between(rng, 1, 9),
                     .keys = copies_between(rng, 1, 9),
                     .heads = copies_between(rng, 1, 8),
                     .head_width = copies_between(rng, 1, 6)};
    call.width = call.heads * call.head_width;
    return call;
}

static void assert_counted(CostCall call, uint64_t seed) {
    CostFlops formula = cost_flops(call), counted;
    Error error = {0};
    assert_true(cost_count(&counted, call, seed, &error));
    assert_int_equal(counted.query, formula.query);
    assert_int_equal(counted.key, formula.key);
    assert_int_equal(counted.value, formula.value);
    assert_int_equal(counted.output, formula.output);
    assert_int_equal(counted.scores, formula.scores);
    assert_int_equal(counted.mix, formula.mix);
    assert_int_equal(cost_total(counted), cost_total(formula));
}

static void test_formula_is_count(void **state) {
    (void)state;
    Rng rng = rng_make(41, 0);
    for (int trial = 0; trial < 100; trial++) {
        CostCall call = random_call(&rng);
        assert_counted(call, (uint64_t)trial);
        assert_counted(cost_full_width(call), (uint64_t)trial);
    }
}

/* By loops of this test: one multiply-add for each combination of indices. */
static void test_formula_is_loops(void **state) {
    (void)state;
    Rng rng = rng_make(42, 0);
    for (int trial = 0; trial < 20; trial++) {
        CostCall c = random_call(&rng);
        long query = 0, key = 0, pairs = 0, weights = 0;
        for (int b = 0; b < c.batch; b++) {
            for (int out = 0; out < c.heads * c.head_width; out++)
                for (int in = 0; in < c.width; in++) {
                    query += 2 * c.queries;
                    key += 2 * c.keys;
                }
            for (int h = 0; h < c.heads; h++)
                for (int t = 0; t < c.queries; t++)
                    for (int j = 0; j < c.keys; j++, weights++)
                        pairs += 2 * c.head_width;
        }
        CostFlops flops = cost_flops(c);
        assert_int_equal(flops.query, query);
        assert_int_equal(flops.output, query);
        assert_int_equal(flops.key, key);
        assert_int_equal(flops.value, key);
        assert_int_equal(flops.scores, pairs);
        assert_int_equal(flops.mix, pairs);
        assert_int_equal(cost_projections(flops), 2 * query + 2 * key);
        assert_int_equal(cost_weights(c), weights);
        assert_int_equal(cost_weight_bytes(c), 4 * weights);
    }
}

/* At a fixed width heads change neither the parameters nor the operations; with the full width in
 * every head both grow by as much as there are heads. */
static void test_heads(void **state) {
    (void)state;
    for (int width = 1; width <= 120; width++)
        for (int heads = 1; heads <= width; heads++) {
            if (width % heads) continue;
            CostCall one = {2, 4, 6, width, 1, width},
                     call = {2, 4, 6, width, heads, width / heads};
            assert_int_equal(cost_parameters(call, false), 4 * width * width);
            assert_int_equal(cost_parameters(call, true), 4 * width * width + 4 * width);
            assert_int_equal(cost_total(cost_flops(call)), cost_total(cost_flops(one)));
            assert_int_equal(cost_weights(call), heads * cost_weights(one));
            CostCall full = cost_full_width(call);
            assert_int_equal(cost_parameters(full, false), heads * cost_parameters(one, false));
            assert_int_equal(cost_parameters(full, true),
                             heads * 4 * width * width + 3 * heads * width + width);
            assert_int_equal(cost_total(cost_flops(full)), heads * cost_total(cost_flops(one)));
            assert_int_equal(cost_weights(full), cost_weights(call));
        }
}

/* The counter adds to what it holds, counts what is seen alone, and not what backward does. */
static void test_counter(void **state) {
    (void)state;
    enum { B = 2, H = 2, T = 3, D = 2, W = H * D };
    double query[B * T * W], context[B * T * W], gradient[B * T * W] = {0};
    double weights[B * H * T * T], scratch[2 * B * H * T * T];
    for (int i = 0; i < B * T * W; i++)
        query[i] = 0.1 * i - 1;
    int key_end[B * H * T], visible = 0;
    for (int i = 0; i < B * H * T; i++)
        visible += key_end[i] = i % T + 1;
    AttentionSizes sizes = {B, H, T, T, D};
    AttentionCount count = {.scores = 100, .mix = 1000};
    HeadFold fold = head_fold(T, W, D);
    AttentionRule rule = {.query = fold,
                          .key = fold,
                          .value = fold,
                          .context = fold,
                          .key_end = key_end,
                          .scale = 1,
                          .count = &count};
    assert_int_equal(attention_plain_scratch(sizes), sizeof scratch / sizeof scratch[0]);
    attention_plain_forward(context, weights, query, query, query, &rule, sizes);
    assert_int_equal(count.scores, 100 + visible * D);
    assert_int_equal(count.mix, 1000 + visible * D);
    attention_plain_backward(gradient, gradient, gradient, context, query, query, query, &rule,
                             sizes, scratch);
    assert_int_equal(count.scores, 100 + visible * D);
    assert_int_equal(count.mix, 1000 + visible * D);
    rule.mask = MASK_ADDS; /* a mask of -inf as it is written by most: all pairs are worked out */
    rule.mask_value = -1;
    attention_plain_forward(context, weights, query, query, query, &rule, sizes);
    assert_int_equal(count.scores, 100 + visible * D + B * H * T * T * D);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formula_is_count),
        cmocka_unit_test(test_formula_is_loops),
        cmocka_unit_test(test_heads),
        cmocka_unit_test(test_counter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
