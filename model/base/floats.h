/* Loops over many floats: tests, sums, entropies and conversions. Results are the same on all
 * instruction sets: sums have a fixed number of partial sums, and no product is fused with a sum.
 */
#ifndef HEADSCOPE_MODEL_BASE_FLOATS_H
#define HEADSCOPE_MODEL_BASE_FLOATS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/base/simd.h"

enum { FLOATS_LANES = 4 };

/* True if no value is infinite or NaN. */
SIMD_DECLARE(bool, floats_finite, (const float *values, int count));

/* Replaces infinities by NaN; returns how many values are NaN afterwards. */
SIMD_DECLARE(int, floats_clean, (float *values, int count));

SIMD_DECLARE(double, floats_sum, (const float *values, int count));

/* Returns the index past the last value that is not 0, and at least `min`. */
SIMD_DECLARE(int, floats_end, (const float *values, int count, int min));

/* -sum p log2 p of a row of probabilities, and of the mean of two rows; each term within 2e-6 bits.
 * `count` is a multiple of FLOATS_LANES. */
SIMD_DECLARE(float, floats_entropy, (const float *p, int count));
SIMD_DECLARE(float, floats_entropy_of_mean, (const float *p, const float *q, int count));

/* out[count] = the binary16, bfloat16 or binary64 numbers at `bytes`, in this machine's byte order.
 */
SIMD_DECLARE(void, floats_from_halves,
             (float *restrict out, const unsigned char *restrict bytes, size_t count));
SIMD_DECLARE(void, floats_from_bfloats,
             (float *restrict out, const unsigned char *restrict bytes, size_t count));
SIMD_DECLARE(void, floats_from_doubles,
             (float *restrict out, const unsigned char *restrict bytes, size_t count));

#endif
