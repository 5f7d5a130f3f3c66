/* The fast attention of every instruction set against its specification, attention_plain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "model/attention_by_rule.h"
#include "model/mistakes.h"
#include "tests/model/helper_attention.h"
#include "tests/model/helper_network.h"

/* Both sides are float and differ in the order of sums and in exp (2 units in the last place). A
 * score sums up to 40 products below 1 and a gradient up to 70 rows: some tens of roundings of 6e-8
 * relative to the largest number about. The worst seen is 5e-7. */
static const double TOLERANCE = 3e-6;

static int shape_count(void) {
    return getenv("HEADSCOPE_TEST_SMALL") ? 20 : 300;
}

static int between(Rng *rng, int least, int most) {
    return least + (int)rng_below(rng, (uint32_t)(most - least + 1));
}

/* What the specification makes of a case. */
typedef struct Expected {
    real *context, *weights; /* weights in rows of Tk */
    real *d_source;
} Expected;

static double *to_double(const real *from, long count) {
    double *to = calloc((size_t)count + 1, sizeof *to);
    for (long i = 0; i < count; i++)
        to[i] = (double)from[i];
    return to;
}

/* Frees `from`. */
static real *to_real(double *from, long count) {
    real *to = calloc((size_t)count + 1, sizeof *to);
    for (long i = 0; i < count; i++)
        to[i] = (real)from[i];
    free(from);
    return to;
}

static Expected expect(const AttentionCase *c) {
    AttentionSizes n = c->call.sizes;
    AttentionRule rule = helper_rule(c);
    const AttentionLayout *at = &c->layout;
    long cells = (long)n.batch * n.heads * n.queries * n.keys;
    double *source = to_double(c->source, at->size);
    double *above = to_double(c->d_context, c->context_size);
    double *context = calloc((size_t)c->context_size + 1, sizeof *context);
    double *weights = calloc((size_t)cells + 1, sizeof *weights);
    double *d_source = calloc((size_t)at->size + 1, sizeof *d_source);
    double *scratch = calloc((size_t)attention_plain_scratch(n) + 1, sizeof *scratch);
    const double *query = source, *key = source + at->key_at, *value = source + at->value_at;
    attention_plain_forward(context, weights, query, key, value, &rule, n);
    attention_plain_backward(d_source, d_source + at->key_at, d_source + at->value_at, above, query,
                             key, value, &rule, n, scratch);
    free(source);
    free(above);
    free(scratch);
    return (Expected){to_real(context, c->context_size), to_real(weights, cells),
                      to_real(d_source, at->size)};
}

static void expected_free(Expected *expected) {
    free(expected->context);
    free(expected->weights);
    free(expected->d_source);
}

static void assert_near(const char *what, const char *set, AttentionSizes n, double gap,
                        double largest) {
    if (!(gap <= TOLERANCE * fmax(1, largest)))
        fail_msg("%s by %s off by %g: B %d H %d Tq %d Tk %d D %d", what, set, gap, n.batch, n.heads,
                 n.queries, n.keys, n.head_width);
}

/* Weights equal the expected ones, and are exactly 0 past key_len, to the end of the padded row. */
static void assert_weights(const char *set, const AttentionCase *c, const real *expected) {
    AttentionSizes n = c->call.sizes;
    int stride = attention_row(n.keys);
    for (long row = 0; row < (long)n.batch * n.heads * n.queries; row++) {
        const real *weight = c->call.weights + row * stride;
        assert_near("weights", set, n, helper_gap(weight, expected + row * n.keys, n.keys), 1);
        for (int key = c->key_len[row]; key < stride; key++)
            assert_true(weight[key] == 0);
    }
}

static void compare(AttentionCase *c, const Kernels *kernels, const Expected *expected) {
    AttentionSizes n = c->call.sizes;
    const AttentionLayout *at = &c->layout;
    helper_run_backward(c, kernels);
    assert_weights(kernels->name, c, expected->weights);
    assert_near("context", kernels->name, n,
                helper_gap(c->call.context.data, expected->context, c->context_size), 1);
    assert_near("gradients", kernels->name, n,
                helper_gap(c->d_source, expected->d_source, at->size),
                helper_largest(expected->d_source, at->size));
}

static void poison(AttentionCase *c) {
    for (long i = 0; i < c->context_size; i++)
        c->call.context.data[i] = (real)NAN;
    for (long i = 0; i < c->weight_size; i++)
        c->call.weights[i] = (real)NAN;
    for (long i = 0; i < c->layout.size; i++)
        c->d_source[i] = (real)NAN;
    for (long i = 0; i < attention_scratch(c->call.sizes); i++)
        c->scratch[i] = (real)NAN;
}

static void test_fast_equals_plain(void **state) {
    (void)state;
    Rng rng = rng_make(1, 0);
    for (int shape = 0; shape < shape_count(); shape++) {
        AttentionSizes n = {between(&rng, 1, 4), between(&rng, 1, 8), between(&rng, 1, 70),
                            between(&rng, 1, 70), between(&rng, 1, 40)};
        if (shape % 5 == 0) n.queries = 1; /* as while decoding */
        bool side_by_side = shape % 2;
        if (side_by_side) n.keys = n.queries;
        AttentionCase c = helper_case(n, side_by_side, 1, &rng);
        Expected expected = expect(&c);
        for (const Kernels *const *set = kernels_usable(); *set; set++) {
            poison(&c);
            compare(&c, *set, &expected);
        }
        expected_free(&expected);
        helper_case_free(&c);
    }
}

/* Four query heads share a key head: forward only, where the weights fold says so. */
static void test_grouped_queries(void **state) {
    (void)state;
    Rng rng = rng_make(2, 0);
    for (int group = 2; group <= 4; group += 2) {
        AttentionSizes n = {2, 8, 9, 13, 7};
        AttentionCase c = helper_case(n, false, group, &rng);
        Expected expected = expect(&c);
        for (const Kernels *const *set = kernels_usable(); *set; set++) {
            poison(&c);
            helper_run_forward(&c, *set);
            assert_weights((*set)->name, &c, expected.weights);
            assert_near("context", (*set)->name, n,
                        helper_gap(c.call.context.data, expected.context, c.context_size), 1);
        }
        expected_free(&expected);
        helper_case_free(&c);
    }
}

/* By the right rule, the plain kernel over the call's own tensors does what the fast one does, with
 * dropout too. */
static void test_by_rule_equals_fast(void **state) {
    (void)state;
    Rng rng = rng_make(6, 0);
    for (int shape = 0; shape < 20; shape++) {
        int queries = between(&rng, 1, 20), keys = between(&rng, 1, 20);
        AttentionSizes n = {between(&rng, 1, 3), between(&rng, 1, 4), queries,
                            shape % 2 ? queries : keys, between(&rng, 1, 9)};
        AttentionCase c = helper_case(n, shape % 2, 1, &rng);
        c.call.dropout = dropout_make(shape % 3 ? 0.3 : 0, 5);
        int *ints = calloc((size_t)attention_rule_room(n), sizeof *ints);
        double *room = calloc((size_t)attention_by_rule_room(n, true), sizeof *room);
        AttentionRule rule = attention_rule_make((AttentionMistakes){0}, (MaskSource){0}, n, ints);
        rule.key_end = c.key_len;
        const AttentionLayout *at = &c.layout;
        Expected expected = {helper_poisoned(c.context_size), helper_poisoned(c.weight_size),
                             helper_poisoned(at->size)};
        Attention call = c.call;
        call.context.data = expected.context;
        call.weights = expected.weights;
        attention_by_rule_forward(&call, &rule, room);
        attention_by_rule_backward((HeadTensor){expected.d_source + at->query_at, at->query},
                                   (HeadTensor){expected.d_source + at->key_at, at->key},
                                   (HeadTensor){expected.d_source + at->value_at, at->value},
                                   (HeadTensor){c.d_context, at->context}, &call, &rule, room);
        helper_run_backward(&c, kernels_best());
        assert_near("weights", "rule", n,
                    helper_gap(c.call.weights, expected.weights, c.weight_size), 1);
        assert_near("context", "rule", n,
                    helper_gap(c.call.context.data, expected.context, c.context_size), 1);
        assert_near("gradients", "rule", n, helper_gap(c.d_source, expected.d_source, at->size),
                    helper_largest(expected.d_source, at->size));
        expected_free(&expected);
        free(ints);
        free(room);
        helper_case_free(&c);
    }
}

static bool all_zero(const real *numbers, long count) {
    for (long i = 0; i < count; i++)
        if (numbers[i] != 0) return false;
    return true;
}

/* Example 1 sees no key at all: its output, weights and gradients are 0, not NaN. */
static void test_no_visible_key(void **state) {
    (void)state;
    Rng rng = rng_make(3, 0);
    AttentionSizes n = {2, 3, 8, 8, 5};
    AttentionCase c = helper_case(n, true, 1, &rng);
    for (int i = 0; i < n.heads * n.queries; i++) {
        c.key_len[i] = 8;
        c.key_len[n.heads * n.queries + i] = 0;
    }
    for (const Kernels *const *set = kernels_usable(); *set; set++) {
        poison(&c);
        helper_run_backward(&c, *set);
        assert_true(all_zero(c.call.weights + c.weight_size / 2, c.weight_size / 2));
        assert_true(all_zero(c.call.context.data + c.context_size / 2, c.context_size / 2));
        assert_true(all_zero(c.d_source + c.layout.size / 2, c.layout.size / 2));
        assert_true(isfinite(helper_largest(c.d_source, c.layout.size)));
        assert_false(all_zero(c.d_source, c.layout.size / 2));
    }
    helper_case_free(&c);
}

/* No keys to see, as in a batch of empty sources: rows of length 0. */
static void test_no_keys(void **state) {
    (void)state;
    Rng rng = rng_make(4, 0);
    AttentionCase c = helper_case((AttentionSizes){2, 3, 8, 0, 5}, false, 1, &rng);
    for (const Kernels *const *set = kernels_usable(); *set; set++) {
        poison(&c);
        helper_run_backward(&c, *set);
        assert_true(all_zero(c.call.context.data, c.context_size));
        assert_true(all_zero(c.d_source, c.layout.size));
    }
    helper_case_free(&c);
}

/* Scores of 1000 and -1000: the softmax must neither overflow nor lose the largest. A score of 1000
 * is off by some 1e-4 in float, and so is a weight, relative to itself. */
static void test_large_scores(void **state) {
    (void)state;
    Rng rng = rng_make(5, 0);
    AttentionSizes n = {1, 2, 9, 21, 4};
    AttentionCase c = helper_case(n, false, 1, &rng);
    c.call.scale = 1000;
    Expected expected = expect(&c);
    for (const Kernels *const *set = kernels_usable(); *set; set++) {
        poison(&c);
        helper_run_backward(&c, *set);
        assert_true(helper_gap(c.d_source, c.d_source, c.layout.size) == 0); /* no NaN */
        for (int row = 0; row < n.heads * n.queries; row++)
            assert_true(helper_gap(c.call.weights + row * attention_row(n.keys),
                                   expected.weights + row * n.keys, n.keys) < 1e-3);
    }
    expected_free(&expected);
    helper_case_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fast_equals_plain), cmocka_unit_test(test_by_rule_equals_fast),
        cmocka_unit_test(test_grouped_queries),   cmocka_unit_test(test_no_visible_key),
        cmocka_unit_test(test_no_keys),           cmocka_unit_test(test_large_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
