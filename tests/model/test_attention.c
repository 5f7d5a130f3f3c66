/* The fast attention of every instruction set against its specification, attention_plain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "model/kernels/mistakes.h"
#include "model/network/attention_by_rule.h"
#include "tests/model/helper_attention.h"
#include "tests/model/helper_copies.h"
#include "tests/model/helper_network.h"

/* Both sides are float and differ in the order of sums and in exp (2 units in the last place). A
 * score sums up to 40 products below 1 and a gradient up to 70 rows: some tens of roundings of 6e-8
 * relative to the largest number about. The worst seen is 5e-7. */
static const double TOLERANCE = 3e-6;

static int shape_count(void) {
    return getenv("HEADSCOPE_TEST_SMALL") ? 20 : 300;
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
    rule.dropout = c->call.dropout;
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
        AttentionSizes n = {copies_between(&rng, 1, 4), copies_between(&rng, 1, 8),
                            copies_between(&rng, 1, 70), copies_between(&rng, 1, 70),
                            copies_between(&rng, 1, 40)};
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
        int queries = copies_between(&rng, 1, 20), keys = copies_between(&rng, 1, 20);
        AttentionSizes n = {copies_between(&rng, 1, 3), copies_between(&rng, 1, 4), queries,
                            shape % 2 ? queries : keys, copies_between(&rng, 1, 9)};
        AttentionCase c = helper_case(n, shape % 2, 1, &rng);
        c.call.dropout = dropout_make(shape % 3 ? 0.3 : 0, 5);
        int *ints = calloc((size_t)attention_rule_room(n), sizeof *ints);
        double *room = calloc((size_t)attention_by_rule_scratch(n, true), sizeof *room);
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
        helper_run_backward(&c, kernels_in_use());
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

/* --- numbers that are none -------------------------------------------------------------------- */

/* Infinities, and NaNs with and without sign and payload: no bit of them may become part of a
 * number. */
static real odd_number(Rng *rng) {
    switch (rng_below(rng, 5)) {
    case 0:
        return (real)INFINITY;
    case 1:
        return -(real)INFINITY;
    case 2:
        return (real)nan("0x1ff");
    case 3:
        return -(real)NAN;
    default:
        return (real)NAN;
    }
}

static void strew(real *numbers, long count, int odd, Rng *rng) {
    for (int i = 0; i < odd; i++)
        numbers[rng_below(rng, (uint32_t)count)] = odd_number(rng);
}

/* The same kind of number in the same places: NaN for NaN, each infinity for itself, and numbers as
 * near as ever. */
static void assert_same_kinds(const char *what, const char *set, AttentionSizes n, const real *got,
                              const real *expected, long count) {
    for (long i = 0; i < count; i++) {
        double a = (double)got[i], b = (double)expected[i];
        bool same = isnan(b)      ? isnan(a)
                    : isfinite(b) ? fabs(a - b) <= TOLERANCE * fmax(1, fabs(b)) * 10
                                  : a == b;
        if (!same)
            fail_msg("%s by %s at %ld: %g, expected %g: B %d H %d Tq %d Tk %d D %d", what, set, i,
                     a, b, n.batch, n.heads, n.queries, n.keys, n.head_width);
    }
}

/* Lengths as the network has them (a whole batch, padded, causal, both), and random ones. */
static void set_lengths(AttentionCase *c, int way, Rng *rng) {
    AttentionSizes n = c->call.sizes;
    for (int row = 0; row < n.batch * n.heads * n.queries; row++) {
        int query = row % n.queries, padded = n.keys - row / (n.heads * n.queries);
        if (padded < 0) padded = 0;
        int causal = query < n.keys ? query + 1 : n.keys;
        int both = causal < padded ? causal : padded;
        const int lengths[] = {n.keys, padded, causal, both,
                               (int)rng_below(rng, (uint32_t)n.keys + 1)};
        c->key_len[row] = lengths[way];
    }
}

/* What is hidden from a query does not reach it, whatever stands there; what it sees does, also
 * with a weight of 0, as in PyTorch: 0 times infinity is NaN. */
static void test_not_finite(void **state) {
    (void)state;
    Rng rng = rng_make(8, 0);
    for (int shape = 0; shape < shape_count(); shape++) {
        AttentionSizes n = {copies_between(&rng, 1, 3), copies_between(&rng, 1, 3),
                            copies_between(&rng, 1, 40), copies_between(&rng, 1, 40),
                            copies_between(&rng, 1, 36)};
        if (shape % 7 == 0) n.queries = 1;
        bool side_by_side = shape % 2;
        if (side_by_side) n.keys = n.queries;
        AttentionCase c = helper_case(n, side_by_side, 1, &rng);
        set_lengths(&c, shape % 5, &rng);
        if (shape % 3 == 0) c.call.dropout = dropout_make(0.3, (uint64_t)shape);
        if (shape % 4 != 1) strew(c.source, c.layout.size, copies_between(&rng, 1, 4), &rng);
        if (shape % 4 != 0) strew(c.d_context, c.context_size, copies_between(&rng, 1, 2), &rng);
        Expected expected = expect(&c);
        for (const Kernels *const *set = kernels_usable(); *set; set++) {
            poison(&c);
            helper_run_backward(&c, *set);
            int stride = attention_row(n.keys);
            for (long row = 0; row < (long)n.batch * n.heads * n.queries; row++) {
                const real *weight = c.call.weights + row * stride;
                assert_same_kinds("weights", (*set)->name, n, weight,
                                  expected.weights + row * n.keys, n.keys);
                for (int key = c.key_len[row]; key < stride; key++)
                    assert_true(weight[key] == 0);
            }
            assert_same_kinds("context", (*set)->name, n, c.call.context.data, expected.context,
                              c.context_size);
            assert_same_kinds("gradients", (*set)->name, n, c.d_source, expected.d_source,
                              c.layout.size);
        }
        expected_free(&expected);
        helper_case_free(&c);
    }
}

/* Three keys: what a softmax makes of scores that are none, as torch.softmax does. */
static void test_scores_not_finite(void **state) {
    (void)state;
    const real inf = (real)INFINITY, nan = (real)NAN;
    const struct {
        real scores[3];
        real weights[3];
    } cases[] = {
        {{0, 0, nan}, {nan, nan, nan}},
        {{nan, 0, 0}, {nan, nan, nan}},
        {{inf, 0, 0}, {nan, nan, nan}},
        {{0, inf, -inf}, {nan, nan, nan}},
        {{-inf, -inf, -inf}, {nan, nan, nan}},
        {{-inf, 0, 0}, {0, (real)0.5, (real)0.5}},
        {{-inf, -inf, 5}, {0, 0, 1}},
        {{(real)-3.2e38, (real)-3.2e38, -inf}, {(real)0.5, (real)0.5, 0}},
        {{(real)-3.2e38, (real)3.2e38, 0}, {0, 1, 0}},
        {{0, -500, -1000}, {1, 0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (const Kernels *const *set = kernels_usable(); *set; set++)
            for (int queries = 1; queries <= 2; queries++) {
                AttentionSizes n = {1, 1, queries, 3, 1};
                real query[2] = {1, 1}, key[3], value[3] = {1, 2, 4}, context[2];
                real weights[2 * 16], scratch[128];
                int key_len[2] = {3, 3};
                memcpy(key, cases[i].scores, sizeof key);
                Attention call = {.sizes = n,
                                  .query = {query, head_fold(queries, 1, 1)},
                                  .key = {key, head_fold(3, 1, 1)},
                                  .value = {value, head_fold(3, 1, 1)},
                                  .context = {context, head_fold(queries, 1, 1)},
                                  .weights = weights,
                                  .key_len = key_len,
                                  .scale = 1};
                assert_true(attention_scratch(n) <= 128);
                (*set)->attention_forward(&call, 0, 0, scratch);
                for (int row = 0; row < queries; row++)
                    for (int j = 0; j < 3; j++) {
                        real got = weights[row * 16 + j], expected = cases[i].weights[j];
                        if (!(isnan(expected) ? isnan(got) : got == expected))
                            fail_msg("case %zu by %s, key %d: %g, expected %g", i, (*set)->name, j,
                                     (double)got, (double)expected);
                    }
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fast_equals_plain), cmocka_unit_test(test_by_rule_equals_fast),
        cmocka_unit_test(test_grouped_queries),   cmocka_unit_test(test_no_visible_key),
        cmocka_unit_test(test_no_keys),           cmocka_unit_test(test_large_scores),
        cmocka_unit_test(test_not_finite),        cmocka_unit_test(test_scores_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
