/* The row kernels of every instruction set against plain loops in double, over lengths that leave
 * every rest of a vector. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "model/kernels/kernels.h"
#include "model/training/trainer.h"
#include "tests/model/helper_gradient.h"
#include "tests/model/helper_network.h"

enum { LONGEST = 70, ROWS = 5 };

/* A check of one set of kernels at one length; `pool` holds what it takes. */
typedef void Check(const Kernels *kernels, int n, Reals *pool);

static void for_each_set_and_length(Check *check) {
    for (const Kernels *const *set = kernels_usable(); *set; set++)
        for (int n = 1; n <= LONGEST; n++) {
            Reals pool = {.rng = rng_make(1, (uint64_t)n)};
            check(*set, n, &pool);
            reals_free(&pool);
        }
}

static void assert_near(const char *what, const char *set, int n, double value, double expected,
                        double bound) {
    if (!(fabs(value - expected) <= bound))
        fail_msg("%s by %s at length %d: %.9g, expected %.9g", what, set, n, value, expected);
}

static real *copy_of(Reals *pool, const real *from, long count) {
    real *copy = reals_poisoned(pool, count);
    memcpy(copy, from, (size_t)count * sizeof *copy);
    return copy;
}

/* --- layer norm ------------------------------------------------------------------------------- */

static const double EPSILON = 1e-5;

static double mean_of(const real *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)x[i];
    return sum / n;
}

static double rstd_of(const real *x, int n) {
    double mean = mean_of(x, n), squares = 0;
    for (int i = 0; i < n; i++)
        squares += ((double)x[i] - mean) * ((double)x[i] - mean);
    return 1 / sqrt(squares / n + EPSILON);
}

/* Float: the mean is off by some 1e-7, which rstd enlarges (up to 316 for a row of one number or of
 * nearly equal ones). */
static double norm_bound(double rstd) {
    return 1e-6 * fmax(1, rstd);
}

static void check_layernorm_forward(const Kernels *kernels, int n, Reals *pool) {
    const real *x = reals_random(pool, ROWS * n), *gain = reals_random(pool, n);
    const real *shift = reals_random(pool, n);
    real *y = reals_poisoned(pool, ROWS * n), mean[ROWS], rstd[ROWS];
    kernels->layernorm_forward(y, mean, rstd, x, gain, shift, ROWS, n, (real)EPSILON);
    for (int row = 0; row < ROWS; row++, x += n, y += n) {
        double m = mean_of(x, n), r = rstd_of(x, n), bound = norm_bound(r);
        assert_near("mean", kernels->name, n, (double)mean[row], m, 1e-6);
        /* d rstd = -rstd^2 d deviation, and a deviation is off by some 1e-7 */
        assert_near("rstd", kernels->name, n, (double)rstd[row], r, 1e-6 * fmax(r, r * r));
        for (int i = 0; i < n; i++)
            assert_near("y", kernels->name, n, (double)y[i],
                        ((double)x[i] - m) * r * (double)gain[i] + (double)shift[i], bound);
    }
}

/* d_x of one row, and what the row adds to d_gain, by the formula of Ba et al.'s normalisation
 * differentiated by hand: d_x = rstd (g - mean(g) - u mean(g u)), g = d_y gain, u the unit x. */
static void expect_row(double *d_x, double *d_gain, const real *d_y, const real *x,
                       const real *gain, int n) {
    double mean = mean_of(x, n), rstd = rstd_of(x, n), sum = 0, product = 0;
    for (int i = 0; i < n; i++) {
        double unit = ((double)x[i] - mean) * rstd, g = (double)d_y[i] * (double)gain[i];
        sum += g / n;
        product += g * unit / n;
        d_gain[i] += (double)d_y[i] * unit;
    }
    for (int i = 0; i < n; i++) {
        double unit = ((double)x[i] - mean) * rstd, g = (double)d_y[i] * (double)gain[i];
        d_x[i] = rstd * (g - sum - unit * product);
    }
}

static void check_layernorm_backward(const Kernels *kernels, int n, Reals *pool) {
    const real *x = reals_random(pool, ROWS * n), *gain = reals_random(pool, n);
    const real *d_y = reals_random(pool, ROWS * n);
    real *d_x = reals_poisoned(pool, ROWS * n), *d_gain = reals_random(pool, n);
    real *d_shift = reals_random(pool, n), mean[ROWS], rstd[ROWS];
    double expected_x[ROWS * LONGEST], expected_gain[LONGEST], expected_shift[LONGEST], max = 1;
    for (int i = 0; i < n; i++) {
        expected_gain[i] = (double)d_gain[i]; /* added to */
        expected_shift[i] = (double)d_shift[i];
    }
    for (int row = 0; row < ROWS; row++) {
        mean[row] = (real)mean_of(x + row * n, n);
        rstd[row] = (real)rstd_of(x + row * n, n);
        max = fmax(max, (double)rstd[row]);
        expect_row(expected_x + row * n, expected_gain, d_y + row * n, x + row * n, gain, n);
        for (int i = 0; i < n; i++)
            expected_shift[i] += (double)d_y[row * n + i];
    }
    kernels->layernorm_backward(d_x, d_gain, d_shift, d_y, mean, rstd, x, gain, ROWS, n);
    for (int i = 0; i < ROWS * n; i++) /* rstd enlarges what the units already have */
        assert_near("d_x", kernels->name, n, (double)d_x[i], expected_x[i], norm_bound(max) * max);
    for (int i = 0; i < n; i++) {
        assert_near("d_gain", kernels->name, n, (double)d_gain[i], expected_gain[i],
                    norm_bound(max));
        assert_near("d_shift", kernels->name, n, (double)d_shift[i], expected_shift[i], 1e-6);
    }
    /* In place, as the network calls it. */
    real *in_place = copy_of(pool, d_y, ROWS * n);
    kernels->layernorm_backward(in_place, d_gain, d_shift, in_place, mean, rstd, x, gain, ROWS, n);
    assert_memory_equal(in_place, d_x, (size_t)(ROWS * n) * sizeof *d_x);
}

static void test_layernorm(void **state) {
    (void)state;
    for_each_set_and_length(check_layernorm_forward);
    for_each_set_and_length(check_layernorm_backward);
}

/* --- loss ------------------------------------------------------------------------------------- */

static double log_total(const real *logits, int n) {
    double total = 0;
    for (int i = 0; i < n; i++)
        total += exp((double)logits[i]);
    return log(total);
}

static void check_loss_of(const Kernels *kernels, int n, Reals *pool, double smoothing,
                          int target) {
    const double weight = 1.0 / 7;
    real *logits = reals_random(pool, n);
    for (int i = 0; i < n; i++)
        logits[i] *= 8;
    real *gradient = copy_of(pool, logits, n);
    double loss = kernels->loss_row(gradient, n, target, (real)smoothing, (real)weight);
    double total = log_total(logits, n), expected = 0;
    for (int i = 0; i < n; i++) {
        double wanted = (i == target ? 1 - smoothing : 0) + smoothing / n;
        expected += wanted * (total - (double)logits[i]);
        double d = (exp((double)logits[i] - total) - wanted) * weight;
        /* probabilities: 2 units of exp, one of the sum, one of the quotient */
        assert_near("d_logits", kernels->name, n, (double)gradient[i], d, 3e-7);
    }
    /* differences of numbers up to 8, and with smoothing a sum of 70 of them shared by 70 */
    assert_near("loss", kernels->name, n, loss, expected, 5e-6);
}

static void check_loss(const Kernels *kernels, int n, Reals *pool) {
    check_loss_of(kernels, n, pool, 0, n - 1);
    check_loss_of(kernels, n, pool, 0, 0);
    check_loss_of(kernels, n, pool, 0.1, n / 2);
}

static void test_loss_row(void **state) {
    (void)state;
    for_each_set_and_length(check_loss);
}

/* Logits of 1000: the softmax must not overflow. 1000 has steps of 6e-5 in float. */
static void test_large_logits(void **state) {
    (void)state;
    for (const Kernels *const *set = kernels_usable(); *set; set++) {
        real logits[5] = {1000, -1000, 998, 0, 1000};
        double loss = (*set)->loss_row(logits, 5, 2, 0, 1);
        assert_near("loss", (*set)->name, 5, loss, 2 + log(2 + exp(-2)), 1e-4);
        for (int i = 0; i < 5; i++)
            assert_true(isfinite(logits[i]));
    }
}

/* A row of `n` logits that are 0, one of them something else; the target is 0. */
static double loss_with(const Kernels *kernels, int n, int at, real odd, real smoothing,
                        real *row) {
    for (int i = 0; i < n; i++)
        row[i] = i == at ? odd : 0;
    return kernels->loss_row(row, n, 0, smoothing, 1);
}

static bool all_nan(const real *numbers, int n) {
    for (int i = 0; i < n; i++)
        if (!isnan(numbers[i])) return false;
    return true;
}

/* As torch.nn.functional.cross_entropy: a NaN and an infinite logit leave nothing but NaN; a logit
 * of -inf has no part in it, unless it is wanted. */
static void check_odd_loss(const Kernels *kernels, int n, Reals *pool) {
    real *row = reals_poisoned(pool, n);
    for (int at = 0; at < n; at += n / 3 + 1) {
        const real odd[] = {(real)NAN, (real)INFINITY, (real)nan("0x1ff")};
        for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
            assert_true(isnan(loss_with(kernels, n, at, odd[i], (real)0.1, row)));
            assert_true(all_nan(row, n));
        }
        double loss = loss_with(kernels, n, at, -(real)INFINITY, 0, row);
        if (at == 0) {
            assert_true(n == 1 ? isnan(loss) : loss == INFINITY);
            continue;
        }
        assert_near("loss beside -inf", kernels->name, n, loss, log(n - 1), 1e-5);
        assert_true(row[at] == 0);
        assert_true(loss_with(kernels, n, at, -(real)INFINITY, (real)0.1, row) == INFINITY);
    }
}

static void test_odd_loss(void **state) {
    (void)state;
    for_each_set_and_length(check_odd_loss);
}

/* --- dropout, relu, sums ---------------------------------------------------------------------- */

static void check_dropped(const Kernels *kernels, int n, Reals *pool) {
    const real *a = reals_random(pool, n), *b = reals_random(pool, n);
    real *y = reals_poisoned(pool, n), *relu = copy_of(pool, b, n);
    for (int on = 0; on < 2; on++) {
        Dropout dropout = dropout_make(on ? 0.25 : 0, 42);
        memcpy(relu, b, (size_t)n * sizeof *relu);
        kernels->add_dropped(y, a, b, dropout, n);
        for (int i = 0; i < n; i++) /* one rounding, or two, of numbers up to 2.4 */
            assert_near("add_dropped", kernels->name, n, (double)y[i],
                        (double)a[i] + (double)b[i] * (double)dropout_factor(dropout, (uint32_t)i),
                        3e-7);
        kernels->drop(y, b, dropout, n);
        kernels->relu_forward(relu, dropout, n);
        for (int i = 0; i < n; i++) {
            real dropped = b[i] * dropout_factor(dropout, (uint32_t)i);
            assert_true(y[i] == dropped); /* one product: nothing to differ in */
            assert_true(relu[i] == (b[i] > 0 ? dropped : 0));
        }
    }
}

static void check_relu_backward(const Kernels *kernels, int n, Reals *pool) {
    real *h = reals_random(pool, n), *d = reals_random(pool, n), *given = copy_of(pool, d, n);
    h[n / 2] = 0;
    kernels->relu_backward(d, h, (real)1.25, n);
    for (int i = 0; i < n; i++)
        assert_true(d[i] == (h[i] > 0 ? given[i] * (real)1.25 : 0));
}

/* torch.relu(NaN) is NaN, and lets the gradient through. */
static void check_odd_relu(const Kernels *kernels, int n, Reals *pool) {
    real *h = reals_random(pool, n), *d = reals_random(pool, n), *given = copy_of(pool, d, n);
    real *kept = copy_of(pool, h, n);
    h[n / 2] = (real)NAN;
    h[n - 1] = (real)INFINITY;
    for (int on = 0; on < 2; on++) {
        memcpy(kept, h, (size_t)n * sizeof *h);
        kernels->relu_forward(kept, dropout_make(on ? 0.25 : 0, 42), n);
        assert_true(n < 3 || isnan(kept[n / 2]));
    }
    kernels->relu_forward(h, (Dropout){0}, n);
    assert_true(h[n - 1] == (real)INFINITY && (n < 3 || isnan(h[n / 2])));
    kernels->relu_backward(d, h, (real)1.25, n);
    for (int i = 0; i < n; i++)
        assert_true(d[i] == (h[i] <= 0 ? 0 : given[i] * (real)1.25));
}

static void check_sums(const Kernels *kernels, int n, Reals *pool) {
    real *sum = reals_random(pool, n), *before = copy_of(pool, sum, n);
    const real *x = reals_random(pool, ROWS * n);
    kernels->add(sum, x, n);
    for (int i = 0; i < n; i++)
        assert_true(sum[i] == before[i] + x[i]);
    memcpy(sum, before, (size_t)n * sizeof *sum);
    kernels->add_rows(sum, x, ROWS, n);
    for (int i = 0; i < n; i++) {
        double expected = (double)before[i];
        for (int row = 0; row < ROWS; row++)
            expected += (double)x[row * n + i];
        /* five roundings of numbers up to 6 */
        assert_near("add_rows", kernels->name, n, (double)sum[i], expected, 2e-6);
    }
}

/* One row through a linear layer, with outputs that leave every rest of eight, with bias or not. */
static void check_linear_row(const Kernels *kernels, int n, Reals *pool) {
    int out = 1 + n % 19;
    const real *x = reals_random(pool, n), *weight = reals_random(pool, (long)out * n);
    const real *bias = n % 2 ? reals_random(pool, out) : NULL;
    real *y = reals_poisoned(pool, out);
    kernels->linear_row(y, x, weight, bias, out, n);
    for (int o = 0; o < out; o++) {
        double expected = bias ? (double)bias[o] : 0;
        for (int i = 0; i < n; i++)
            expected += (double)x[i] * (double)weight[o * n + i];
        /* seventy roundings of sums up to some 10 */
        assert_near("linear_row", kernels->name, n, (double)y[o], expected, 1e-5);
    }
}

static void test_linear_row(void **state) {
    (void)state;
    for_each_set_and_length(check_linear_row);
}

static void test_dropped(void **state) {
    (void)state;
    for_each_set_and_length(check_dropped);
    for_each_set_and_length(check_relu_backward);
    for_each_set_and_length(check_odd_relu);
}

/* The sum of four parts is taken in their order, so it is the same to the bit for every set. */
static void check_sum_parts(const Kernels *kernels, int n, Reals *pool) {
    const real *parts[4];
    for (int i = 0; i < 4; i++)
        parts[i] = reals_random(pool, n);
    real *sum = reals_poisoned(pool, n);
    double squares = kernels->sum_parts(sum, parts, 4, n), expected = 0;
    for (int i = 0; i < n; i++) {
        real total = ((parts[0][i] + parts[1][i]) + parts[2][i]) + parts[3][i];
        assert_true(sum[i] == total);
        expected += (double)total * (double)total;
    }
    /* squares are summed in float over a stretch: relative to the sum, some roundings */
    assert_near("squares", kernels->name, n, squares, expected, 3e-6 * expected);
    real *first = copy_of(pool, parts[0], n); /* the sum may lie on the first part */
    parts[0] = first;
    kernels->sum_parts(first, parts, 4, n);
    assert_memory_equal(first, sum, (size_t)n * sizeof *sum);
}

static void test_sums(void **state) {
    (void)state;
    for_each_set_and_length(check_sums);
    for_each_set_and_length(check_sum_parts);
    for (const Kernels *const *set = kernels_usable(); *set; set++) {
        Reals pool = {.rng = rng_make(2, 0)};
        check_sum_parts(*set, 30011, &pool); /* many stretches and a rest */
        reals_free(&pool);
    }
}

/* --- Adam ------------------------------------------------------------------------------------- */

typedef struct AdamState {
    double value[LONGEST], first[LONGEST], second[LONGEST];
} AdamState;

/* Algorithm 1 of Kingma and Ba, step by step. */
static void expect_step(AdamState *s, const real *gradient, int n, int step, double rate) {
    for (int i = 0; i < n; i++) {
        double g = (double)gradient[i] * 0.5;
        s->first[i] = 0.9 * s->first[i] + 0.1 * g;
        s->second[i] = 0.98 * s->second[i] + 0.02 * g * g;
        double first = s->first[i] / (1 - pow(0.9, step));
        double second = s->second[i] / (1 - pow(0.98, step));
        s->value[i] -= rate * first / (sqrt(second) + 1e-9);
    }
}

static void check_adam(const Kernels *kernels, int n, Reals *pool) {
    real *value = reals_random(pool, n), *first = reals_zero(pool, n),
         *second = reals_zero(pool, n);
    AdamState expected = {{0}, {0}, {0}};
    for (int i = 0; i < n; i++)
        expected.value[i] = (double)value[i];
    for (int step = 1; step <= 6; step++) {
        const real *gradient = reals_random(pool, n);
        double first_bias = 1 - pow(0.9, step), second_bias = 1 - pow(0.98, step);
        expect_step(&expected, gradient, n, step, 1e-2);
        kernels->adam(value, first, second, gradient, (real)0.5, (real)(1e-2 / first_bias),
                      (real)(1 / sqrt(second_bias)), (real)0.9, (real)0.98, (real)1e-9, n);
    }
    /* values up to 1, six roundings each; 1 - 0.9 and 1 - 0.98 are off by 1e-6 of themselves in
     * float, and so are the moments */
    for (int i = 0; i < n; i++) {
        assert_near("value", kernels->name, n, (double)value[i], expected.value[i], 1e-6);
        assert_near("first", kernels->name, n, (double)first[i], expected.first[i], 1e-6);
        assert_near("second", kernels->name, n, (double)second[i], expected.second[i], 1e-6);
    }
}

/* train_adam_step hands the kernel the same corrections. */
static void test_adam(void **state) {
    (void)state;
    for_each_set_and_length(check_adam);
    TrainOptions options = train_options_default();
    Reals pool = {.rng = rng_make(3, 0)};
    real *value = reals_random(&pool, 9), *first = reals_zero(&pool, 9);
    real *second = reals_zero(&pool, 9);
    AdamState expected = {{0}, {0}, {0}};
    for (int i = 0; i < 9; i++)
        expected.value[i] = (double)value[i];
    for (int step = 1; step <= 3; step++) {
        const real *gradient = reals_random(&pool, 9);
        expect_step(&expected, gradient, 9, step, 0.01 * step);
        train_adam_step(value, first, second, gradient, (real)0.5, 0.01 * step, step, &options, 9);
    }
    for (int i = 0; i < 9; i++)
        assert_near("value", "train_adam_step", 9, (double)value[i], expected.value[i], 1e-6);
    reals_free(&pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layernorm),    cmocka_unit_test(test_loss_row),
        cmocka_unit_test(test_large_logits), cmocka_unit_test(test_odd_loss),
        cmocka_unit_test(test_dropped),      cmocka_unit_test(test_sums),
        cmocka_unit_test(test_adam),         cmocka_unit_test(test_linear_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
