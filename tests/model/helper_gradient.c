#include "tests/model/helper_gradient.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "tests/model/helper_network.h"

static const double STEP = 1e-4;

static double derivative(HelperLoss *loss, void *context, real *x) {
    real at = *x;
    double value[4];
    static const double steps[4] = {-2, -1, 1, 2};
    for (int i = 0; i < 4; i++) {
        *x = (real)((double)at + steps[i] * STEP);
        value[i] = loss(context);
    }
    *x = at;
    return (8 * (value[2] - value[1]) - (value[3] - value[0])) / (12 * STEP);
}

void helper_check_strided(const char *name, real *x, const real *gradient, long count, long stride,
                          double largest, HelperLoss *loss, void *context) {
    for (long i = 0; i < count; i += stride) {
        double given = (double)gradient[i], expected = derivative(loss, context, x + i);
        double bound = 1e-6 * fmax(fabs(expected), 1e-3 * largest);
        if (!(fabs(given - expected) <= bound))
            fail_msg("%s[%ld]: backward gives %.12g, differences %.12g", name, i, given, expected);
    }
}

void helper_check_gradient(const char *name, real *x, const real *gradient, long count,
                           HelperLoss *loss, void *context) {
    double largest = helper_largest(gradient, count);
    assert_true(largest > 0);
    helper_check_strided(name, x, gradient, count, 1, largest, loss, context);
}

double helper_dot(const real *a, const real *b, long count) {
    double sum = 0;
    for (long i = 0; i < count; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

static real *reals_keep(Reals *pool, real *block) {
    assert_true(pool->used < POOL_BLOCKS);
    pool->blocks[pool->used++] = block;
    return block;
}

real *reals_random(Reals *pool, long count) {
    return reals_keep(pool, helper_random(count, &pool->rng));
}

real *reals_zero(Reals *pool, long count) {
    real *block = reals_random(pool, count);
    memset(block, 0, (size_t)count * sizeof *block);
    return block;
}

real *reals_poisoned(Reals *pool, long count) {
    return reals_keep(pool, helper_poisoned(count));
}

void reals_free(Reals *pool) {
    for (int i = 0; i < pool->used; i++)
        free(pool->blocks[i]);
    pool->used = 0;
}
