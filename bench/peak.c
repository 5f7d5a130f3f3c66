#include "bench/peak.h"

#include <time.h>

double processor_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

double peak_rate(void) {
    enum { ROUNDS = 200000 };
    real result = 0;
    double before = processor_ms();
    long operations = SIMD_PICK(peak_loop)(ROUNDS, (real)0.5, &result);
    double taken = processor_ms() - before;
    volatile real kept = result;
    (void)kept;
    return (double)operations / taken / 1e6;
}
