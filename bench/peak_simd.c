/* Multiply-adds in registers, compiled once for each instruction set. */
#include "bench/peak.h"
#include "model/base/vec.h"

/* As many sums as hide the latency of two units, and fit the registers of every set with the two
 * factors. Without a fused instruction it is a product and a sum. */
enum { SUMS = 12 };

long SIMD_NAME(peak_loop)(long rounds, real factor, real *result) {
    vec sum[SUMS], other = vec_all(factor), added = vec_all((real)0.5);
    for (int i = 0; i < SUMS; i++)
        sum[i] = vec_all((real)i);
    for (long round = 0; round < rounds; round++)
        for (int i = 0; i < SUMS; i++)
            sum[i] = sum[i] * other + added;
    for (int i = 0; i < SUMS; i++)
        *result += vec_sum_lanes(sum[i]);
    return 2L * SUMS * LANES * rounds;
}
