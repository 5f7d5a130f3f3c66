/* The products of a linear layer, of every instruction set, against sums in double. Sizes leave
 * every rest of a vector, of a strip and of a panel, and are deeper than one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "model/kernels/blas.h"
#include "model/kernels/kernels.h"
#include "tests/model/helper_gradient.h"
#include "tests/model/helper_network.h"

typedef struct Sizes {
    int rows, out, in;
} Sizes;

typedef void Check(const Kernels *kernels, Sizes n, Reals *pool);

static void run_check(Check *check, const Kernels *kernels, Sizes n) {
    Reals pool = {.rng = rng_make(3, (uint64_t)(n.rows * 10007 + n.out * 101 + n.in))};
    check(kernels, n, &pool);
    reals_free(&pool);
}

/* BLAS in the same places, for processors whose set leaves some to it. */
static void blas_rows(real *y, const real *x, const real *weight, const real *bias, int rows,
                      int out, int in) {
    for (int i = 0; bias && i < rows * out; i++)
        y[i] = bias[i % out];
    blas_product_by_transpose(y, out, x, in, weight, rows, out, in, bias ? 1 : 0);
}

static void blas_rows_input(real *d_x, bool keep, const real *d_y, const real *weight, int rows,
                            int out, int in) {
    blas_product(d_x, in, d_y, out, weight, rows, out, in, keep ? 1 : 0);
}

static void blas_rows_weight(real *d_weight, const real *d_y, const real *x, int rows, int out,
                             int in) {
    blas_add_outer_products(d_weight, d_y, out, x, in, rows, out, in);
}

static const Kernels by_blas = {
    .name = "BLAS",
    .linear_rows = blas_rows,
    .linear_rows_input = blas_rows_input,
    .linear_rows_weight = blas_rows_weight,
};

/* Every small size of one side beside odd others, and some that are large in one of the three. */
static void for_sizes_of(Check *check, const Kernels *kernels) {
    static const Sizes large[] = {{3, 5, 1100},  {40, 70, 513}, {1100, 5, 3},  {700, 33, 65},
                                  {5, 1100, 17}, {64, 96, 96},  {129, 64, 64}, {2, 1, 1}};
    for (int n = 1; n <= 70; n++) {
        run_check(check, kernels, (Sizes){n, 21, 9});
        run_check(check, kernels, (Sizes){13, n, 19});
        run_check(check, kernels, (Sizes){7, 37, n});
    }
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++)
        run_check(check, kernels, large[i]);
}

static void for_sizes(Check *check) {
    for (const Kernels *const *set = kernels_usable(); *set; set++)
        for_sizes_of(check, *set);
}

/* A sum of `terms` products of numbers in [-1, 1) wanders some sqrt(terms)/3 far, and sqrt(terms)
 * of the additions, in effect, round that by one part in 2^24 (2^53): a sixth of this bound. */
static double bound_of(int terms) {
#ifdef HEADSCOPE_DOUBLE
    return 2.2e-16 * (2 + terms);
#else
    return 1.2e-7 * (2 + terms);
#endif
}

static void assert_close(const char *what, const Kernels *kernels, Sizes n, double value,
                         double expected, int terms) {
    if (!(fabs(value - expected) <= bound_of(terms)))
        fail_msg("%s by %s of %d rows, %d out, %d in: %.9g, expected %.9g", what, kernels->name,
                 n.rows, n.out, n.in, value, expected);
}

static void check_forward(const Kernels *kernels, Sizes n, Reals *pool) {
    if (!kernels->linear_rows) return;
    const real *x = reals_random(pool, (long)n.rows * n.in);
    const real *weight = reals_random(pool, (long)n.out * n.in);
    const real *bias = n.in % 3 ? reals_random(pool, n.out) : NULL;
    real *y = reals_poisoned(pool, (long)n.rows * n.out);
    kernels->linear_rows(y, x, weight, bias, n.rows, n.out, n.in);
    for (int r = 0; r < n.rows; r++)
        for (int o = 0; o < n.out; o++) {
            double expected = bias ? (double)bias[o] : 0;
            for (int i = 0; i < n.in; i++)
                expected += (double)x[(long)r * n.in + i] * (double)weight[(long)o * n.in + i];
            assert_close("y", kernels, n, (double)y[(long)r * n.out + o], expected, n.in);
        }
}

static void check_input(const Kernels *kernels, Sizes n, Reals *pool) {
    if (!kernels->linear_rows_input) return;
    const real *d_y = reals_random(pool, (long)n.rows * n.out);
    const real *weight = reals_random(pool, (long)n.out * n.in);
    const real *before = reals_random(pool, (long)n.rows * n.in);
    real *written = reals_poisoned(pool, (long)n.rows * n.in);
    real *added = reals_poisoned(pool, (long)n.rows * n.in);
    memcpy(added, before, (size_t)n.rows * (size_t)n.in * sizeof *added);
    kernels->linear_rows_input(written, false, d_y, weight, n.rows, n.out, n.in);
    kernels->linear_rows_input(added, true, d_y, weight, n.rows, n.out, n.in);
    for (int r = 0; r < n.rows; r++)
        for (int i = 0; i < n.in; i++) {
            double expected = 0;
            long at = (long)r * n.in + i;
            for (int o = 0; o < n.out; o++)
                expected += (double)d_y[(long)r * n.out + o] * (double)weight[(long)o * n.in + i];
            assert_close("d_x", kernels, n, (double)written[at], expected, n.out);
            assert_close("d_x added", kernels, n, (double)added[at], expected + (double)before[at],
                         n.out);
        }
}

static void check_weight(const Kernels *kernels, Sizes n, Reals *pool) {
    if (!kernels->linear_rows_weight) return;
    const real *d_y = reals_random(pool, (long)n.rows * n.out);
    const real *x = reals_random(pool, (long)n.rows * n.in);
    const real *before = reals_random(pool, (long)n.out * n.in);
    real *d_weight = reals_poisoned(pool, (long)n.out * n.in);
    memcpy(d_weight, before, (size_t)n.out * (size_t)n.in * sizeof *d_weight);
    kernels->linear_rows_weight(d_weight, d_y, x, n.rows, n.out, n.in);
    for (int o = 0; o < n.out; o++)
        for (int i = 0; i < n.in; i++) {
            double expected = (double)before[(long)o * n.in + i];
            for (int r = 0; r < n.rows; r++)
                expected += (double)d_y[(long)r * n.out + o] * (double)x[(long)r * n.in + i];
            assert_close("d_weight", kernels, n, (double)d_weight[(long)o * n.in + i], expected,
                         n.rows);
        }
}

static void test_forward(void **state) {
    (void)state;
    for_sizes(check_forward);
}

static void test_input_gradient(void **state) {
    (void)state;
    for_sizes(check_input);
}

static void test_weight_gradient(void **state) {
    (void)state;
    for_sizes(check_weight);
}

/* A row's result has the same bits whatever rows stand beside it: an example in a batch gives what
 * it gives alone, also where the other factor is the one that is turned. */
static void check_rows_alone(const Kernels *kernels, Sizes n, Reals *pool) {
    if (!kernels->linear_rows) return;
    const real *x = reals_random(pool, (long)n.rows * n.in);
    const real *weight = reals_random(pool, (long)n.out * n.in), *bias = reals_random(pool, n.out);
    real *y = reals_poisoned(pool, (long)n.rows * n.out), *alone = reals_poisoned(pool, n.out);
    kernels->linear_rows(y, x, weight, bias, n.rows, n.out, n.in);
    for (int r = 0; r < n.rows; r++) {
        kernels->linear_rows(alone, x + (long)r * n.in, weight, bias, 1, n.out, n.in);
        assert_memory_equal(alone, y + (long)r * n.out, (size_t)n.out * sizeof *alone);
    }
}

static void test_rows_alone(void **state) {
    (void)state;
    for_sizes(check_rows_alone);
}

static void test_blas(void **state) {
    (void)state;
    Error error;
    if (!blas_open(&error)) fail_msg("%s", error.text);
    for_sizes_of(check_forward, &by_blas);
    for_sizes_of(check_input, &by_blas);
    for_sizes_of(check_weight, &by_blas);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forward),
        cmocka_unit_test(test_input_gradient),
        cmocka_unit_test(test_weight_gradient),
        cmocka_unit_test(test_rows_alone),
        cmocka_unit_test(test_blas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
