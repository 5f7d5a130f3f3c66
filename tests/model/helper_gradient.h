/* Derivatives by differences, for the tests of backward passes, and blocks that live as long as one
 * such test. */
#ifndef HEADSCOPE_TESTS_MODEL_HELPER_GRADIENT_H
#define HEADSCOPE_TESTS_MODEL_HELPER_GRADIENT_H

#include "model/base/real.h"
#include "model/base/rng.h"

/* A function of numbers that the check moves one at a time. */
typedef double HelperLoss(void *context);

/* Fails the test unless each gradient[i], for every `stride`-th number of x[count], is the
 * derivative of loss by x[i], within 1e-6 of the larger of the derivative and a thousandth of
 * `largest`, the largest gradient of all that belong together: some derivatives (of a key's bias)
 * are exactly 0 and have no relative error.
 *
 * Meant for double, where the five-point difference with steps of 1e-4 is off by 1e-16 of the fifth
 * derivative and rounds at about 1e-12. relu has a kink: a unit that crosses 0 within a step makes
 * the difference wrong, not the gradient. Seeds are chosen so that no unit does. */
void helper_check_strided(const char *name, real *x, const real *gradient, long count, long stride,
                          double largest, HelperLoss *loss, void *context);

/* The same for every number of one tensor, whose gradient must not be 0 as a whole. */
void helper_check_gradient(const char *name, real *x, const real *gradient, long count,
                           HelperLoss *loss, void *context);

double helper_dot(const real *a, const real *b, long count);

/* Blocks of numbers, freed together. Begin with {.rng = rng_make(...)}. */
enum { POOL_BLOCKS = 32 };
typedef struct Reals {
    Rng rng;
    void *blocks[POOL_BLOCKS];
    int used;
} Reals;

real *reals_random(Reals *pool, long count);
real *reals_zero(Reals *pool, long count);
real *reals_poisoned(Reals *pool, long count);
void reals_free(Reals *pool);

#endif
