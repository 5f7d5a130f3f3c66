/* The most that a core can compute: multiply-adds of numbers that never leave the registers. */
#ifndef HEADSCOPE_BENCH_PEAK_H
#define HEADSCOPE_BENCH_PEAK_H

#include "model/base/real.h"
#include "model/base/simd.h"

/* 10^9 operations (a multiply-add is two) per second of processor time, by the widest instructions
 * that the kernels in use use; of one thread, over about a millisecond. The best of many is the
 * peak. */
double peak_rate(void);

/* The loop that peak_rate measures: returns how many operations it did. */
SIMD_DECLARE(long, peak_loop, (long rounds, real factor, real *result));

/* Milliseconds of processor time of this process: what others run does not count, but for what they
 * take of the caches. */
double processor_ms(void);

#endif
