/* The most that a core can compute: multiply-adds of numbers that never leave the registers. */
#ifndef HEADSCOPE_BENCH_PEAK_H
#define HEADSCOPE_BENCH_PEAK_H

/* 10^9 operations (a multiply-add is two) per second of processor time, by the widest instructions
 * that the named set of kernels uses ("base", "avx2", "avx512"); of one thread, over about a
 * millisecond. The best of many is the peak. */
double peak_rate(const char *instructions);

/* Milliseconds of processor time of this process: what others run does not count, but for what they
 * take of the caches. */
double processor_ms(void);

#endif
