/* Multi-head attention: the toy of D2L 11.5 (batch 2, 4 queries, 6 key-value pairs, width 100, 5
 * heads, valid_lens [3, 2]), and one call for self- and cross-attention. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "model/kernels/mask.h"
#include "model/network/multihead.h"
#include "tests/model/helper_gradient.h"
#include "tests/model/helper_network.h"

/* One call with all its blocks. */
typedef struct Call {
    Reals pool;
    MultiheadSizes sizes;
    AttentionParams params;
    MultiheadSaved saved;
    real *y;
} Call;

static Call call_make(MultiheadSizes n, AttentionParams params) {
    Call call = {.sizes = n, .params = params};
    long rows = (long)n.batch * n.queries;
    call.saved.projected = reals_poisoned(&call.pool, multihead_projected_size(n));
    call.saved.context = reals_poisoned(&call.pool, rows * n.width);
    call.saved.weights = reals_poisoned(&call.pool, rows * n.heads * attention_row(n.keys));
    call.y = reals_poisoned(&call.pool, rows * n.width);
    return call;
}

static void call_run(Call *call, const real *queries, const real *keys_values,
                     const int *valid_lens) {
    MultiheadSizes n = call->sizes;
    int *key_len = malloc((size_t)(n.batch * n.heads * n.queries) * sizeof *key_len);
    MultiheadScratch scratch = {
        .attention = helper_poisoned(attention_scratch(multihead_attention_sizes(n)))};
    mask_fill(key_len, valid_lens, n.batch, n.heads, n.queries, false);
    multihead_forward(call->y, call->saved, queries, keys_values, call->params, n,
                      (MultiheadOptions){.key_len = key_len}, scratch);
    free(key_len);
    free(scratch.attention);
}

static AttentionParams random_params(Reals *pool, long width) {
    AttentionParams params = {
        {reals_random(pool, 3 * width * width), reals_random(pool, 3 * width)},
        {reals_random(pool, width * width), reals_random(pool, width)}};
    for (long i = 0; i < 3 * width * width; i++)
        params.in.weight[i] /= real_sqrt((real)width); /* scores of the size of 1 */
    return params;
}

/* --- D2L's toy -------------------------------------------------------------------------------- */

enum { B = 2, TQ = 4, TK = 6, W = 100, H = 5, D = W / H };
static const int VALID_LENS[B] = {3, 2};

/* D2L's transpose_qkv: from [B, steps, W], W columns of rows of `row`, to [B*H, steps, D], copying
 * as the book does. */
static real *folded(Reals *pool, const real *projected, int steps, int row) {
    real *out = reals_poisoned(pool, (long)B * H * steps * D), *next = out;
    for (int b = 0; b < B; b++)
        for (int h = 0; h < H; h++)
            for (int t = 0; t < steps; t++)
                for (int i = 0; i < D; i++)
                    *next++ = projected[(b * steps + t) * row + h * D + i];
    return out;
}

typedef struct Toy {
    Reals pool;
    Call call;
    real *queries, *keys_values;
} Toy;

static Toy toy_make(bool ones) {
    Toy toy = {.pool.rng = rng_make(1, 0)};
    toy.queries = reals_random(&toy.pool, B * TQ * W);
    toy.keys_values = reals_random(&toy.pool, B * TK * W);
    for (int i = 0; ones && i < B * TK * W; i++)
        toy.keys_values[i] = toy.queries[i % (B * TQ * W)] = 1;
    toy.call = call_make((MultiheadSizes){B, TQ, TK, W, H}, random_params(&toy.pool, W));
    call_run(&toy.call, toy.queries, toy.keys_values, VALID_LENS);
    return toy;
}

static void toy_free(Toy *toy) {
    reals_free(&toy->call.pool);
    reals_free(&toy->pool);
}

static const real *weights_of(const Toy *toy, int head_of_batch, int query) {
    return toy->call.saved.weights + (head_of_batch * TQ + query) * attention_row(TK);
}

/* Every number of the [B,4,100] output was written: the block was NaN before. */
static void test_toy_output(void **state) {
    (void)state;
    for (int ones = 0; ones < 2; ones++) {
        Toy toy = toy_make(ones);
        assert_true(helper_gap(toy.call.y, toy.call.y, B * TQ * W) == 0);
        toy_free(&toy);
    }
}

/* The book's folded copy (10,4,20) and (10,6,20) is what a HeadFold reads in place. */
static void assert_fold(const real *copy, const real *projected, HeadFold fold, int steps) {
    for (int b = 0; b < B; b++)
        for (int h = 0; h < H; h++)
            for (int t = 0; t < steps; t++)
                for (int i = 0; i < D; i++) {
                    long at = b * fold.example + h / fold.group * fold.head + t * fold.row + i;
                    assert_true(copy[((b * H + h) * steps + t) * D + i] == projected[at]);
                }
}

static void test_toy_folds(void **state) {
    (void)state;
    Toy toy = toy_make(false);
    const real *queries = toy.call.saved.projected, *keys = queries + B * TQ * W;
    assert_fold(folded(&toy.pool, queries, TQ, W), queries, head_fold(TQ, W, D), TQ);
    assert_fold(folded(&toy.pool, keys, TK, 2 * W), keys, head_fold(TK, 2 * W, D), TK);
    assert_fold(folded(&toy.pool, keys + W, TK, 2 * W), keys + W, head_fold(TK, 2 * W, D), TK);
    toy_free(&toy);
}

/* softmax(q k^T / sqrt(D)) of one head, [TQ,TK], and its mix of values, [TQ,D]. */
static void single_head(double *weights, double *mix, const real *q, const real *k, const real *v,
                        int valid) {
    for (int t = 0; t < TQ; t++) {
        double total = 0;
        for (int j = 0; j < TK; j++) {
            double e = exp(helper_dot(q + t * D, k + j * D, D) / sqrt(D));
            weights[t * TK + j] = j < valid ? e : 0;
            total += weights[t * TK + j];
        }
        for (int i = 0; i < D; i++)
            mix[t * D + i] = 0;
        for (int j = 0; j < TK; j++) {
            weights[t * TK + j] /= total;
            for (int i = 0; i < D; i++)
                mix[t * D + i] += weights[t * TK + j] * (double)v[j * D + i];
        }
    }
}

/* Each of the ten heads alone, from the folded copies. Float against double: scores and mixes sum
 * 20 products of the size of 1, so 1e-5 is some tens of roundings of 6e-8. */
static void test_toy_heads(void **state) {
    (void)state;
    Toy toy = toy_make(false);
    const real *queries = toy.call.saved.projected, *keys = queries + B * TQ * W;
    const real *q = folded(&toy.pool, queries, TQ, W);
    const real *k = folded(&toy.pool, keys, TK, 2 * W);
    const real *v = folded(&toy.pool, keys + W, TK, 2 * W);
    for (int n = 0; n < B * H; n++) {
        double weights[TQ * TK], mix[TQ * D];
        single_head(weights, mix, q + n * TQ * D, k + n * TK * D, v + n * TK * D,
                    VALID_LENS[n / H]);
        for (int t = 0; t < TQ; t++) {
            const real *context = toy.call.saved.context + (n / H * TQ + t) * W + n % H * D;
            for (int j = 0; j < TK; j++)
                assert_true(fabs((double)weights_of(&toy, n, t)[j] - weights[t * TK + j]) < 1e-5);
            for (int i = 0; i < D; i++)
                assert_true(fabs((double)context[i] - mix[t * D + i]) < 1e-5);
        }
    }
    toy_free(&toy);
}

/* The same columns are exactly 0 in every head of an example, and no other cell is. */
static void test_toy_masked_columns(void **state) {
    (void)state;
    Toy toy = toy_make(false);
    for (int n = 0; n < B * H; n++)
        for (int t = 0; t < TQ; t++)
            for (int j = 0; j < TK; j++)
                assert_int_equal(weights_of(&toy, n, t)[j] == 0, j >= VALID_LENS[n / H]);
    toy_free(&toy);
}

/* Equal keys share the weight: a third each in example 0, a half in example 1. One rounding in the
 * sum, one in its inverse and two units of exp. */
static void test_toy_of_ones(void **state) {
    (void)state;
    Toy toy = toy_make(true);
    for (int n = 0; n < B * H; n++)
        for (int t = 0; t < TQ; t++)
            for (int j = 0; j < VALID_LENS[n / H]; j++)
                assert_true(fabs((double)weights_of(&toy, n, t)[j] - 1.0 / VALID_LENS[n / H]) <
                            5e-7);
    toy_free(&toy);
}

/* --- one call for self- and cross-attention --------------------------------------------------- */

/* The call given (X,X,X), and then (Y,E,E) with Y = X and E a copy of X elsewhere: the products are
 * laid out otherwise, and the result is the same. 1e-6: sums of 12 products, in another order. */
static void test_only_the_sources_change(void **state) {
    (void)state;
    static const int valid_lens[2] = {5, 3};
    MultiheadSizes n = {2, 5, 5, 12, 3};
    Reals pool = {.rng = rng_make(2, 0)};
    AttentionParams params = random_params(&pool, n.width);
    real *x = reals_random(&pool, 2 * 5 * 12), *e = reals_random(&pool, 2 * 5 * 12);
    memcpy(e, x, (size_t)(2 * 5 * 12) * sizeof *e);
    Call self = call_make(n, params), cross = call_make(n, params);
    call_run(&self, x, x, valid_lens);
    call_run(&cross, x, e, valid_lens);
    assert_true(helper_gap(self.y, cross.y, 2 * 5 * 12) < 1e-6);
    assert_true(helper_gap(self.saved.weights, cross.saved.weights, 2 * 3 * 5 * attention_row(5)) <
                1e-6);
    reals_free(&self.pool);
    reals_free(&cross.pool);
    reals_free(&pool);
}

/* E longer than Y, its first steps being X: with lengths that hide the rest, still the same. */
static void test_cross_with_another_length(void **state) {
    (void)state;
    enum { SHORT = 5, LONG = 9, WIDTH = 12, HEADS = 3 };
    static const int valid_lens[2] = {5, 3}, all[2] = {LONG, LONG};
    Reals pool = {.rng = rng_make(3, 0)};
    AttentionParams params = random_params(&pool, WIDTH);
    real *x = reals_random(&pool, 2 * SHORT * WIDTH), *e = reals_random(&pool, 2 * LONG * WIDTH);
    for (int b = 0; b < 2; b++)
        memcpy(e + b * LONG * WIDTH, x + b * SHORT * WIDTH, (size_t)(SHORT * WIDTH) * sizeof *e);
    Call self = call_make((MultiheadSizes){2, SHORT, SHORT, WIDTH, HEADS}, params);
    Call cross = call_make((MultiheadSizes){2, SHORT, LONG, WIDTH, HEADS}, params);
    call_run(&self, x, x, valid_lens);
    call_run(&cross, x, e, valid_lens);
    assert_true(helper_gap(self.y, cross.y, 2 * SHORT * WIDTH) < 1e-6); /* as above */
    call_run(&cross, x, e, all);
    assert_true(helper_gap(self.y, cross.y, 2 * SHORT * WIDTH) > 0.01);
    reals_free(&self.pool);
    reals_free(&cross.pool);
    reals_free(&pool);
}

/* No keys to see: what is left is the output's bias. */
static void test_length_zero_gives_the_bias(void **state) {
    (void)state;
    static const int valid_lens[2] = {0, 2};
    MultiheadSizes n = {2, 3, 4, 12, 3};
    Reals pool = {.rng = rng_make(4, 0)};
    AttentionParams params = random_params(&pool, n.width);
    real *y = reals_random(&pool, 2 * 3 * 12), *e = reals_random(&pool, 2 * 4 * 12);
    Call call = call_make(n, params);
    call_run(&call, y, e, valid_lens);
    for (int t = 0; t < n.queries; t++)
        assert_memory_equal(call.y + t * n.width, params.out.bias, (size_t)n.width * sizeof(real));
    assert_true(helper_gap(call.y, call.y, 2 * 3 * 12) == 0);
    reals_free(&call.pool);
    reals_free(&pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_toy_output),
        cmocka_unit_test(test_toy_folds),
        cmocka_unit_test(test_toy_heads),
        cmocka_unit_test(test_toy_masked_columns),
        cmocka_unit_test(test_toy_of_ones),
        cmocka_unit_test(test_only_the_sources_change),
        cmocka_unit_test(test_cross_with_another_length),
        cmocka_unit_test(test_length_zero_gives_the_bias),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
