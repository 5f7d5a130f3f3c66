#include "bench/peak.h"

#include <stddef.h>
#include <string.h>
#include <time.h>

#include "model/base/real.h"

typedef long Loop(long rounds, real factor, real *result);

Loop kernel_peak_base;
#ifdef __x86_64__
Loop kernel_peak_avx2, kernel_peak_avx512;
#endif

static const struct {
    const char *instructions;
    Loop *loop;
} loops[] = {
    {"base", kernel_peak_base},
#ifdef __x86_64__
    {"avx2", kernel_peak_avx2},
    {"avx512", kernel_peak_avx512},
#endif
};

double processor_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

double peak_rate(const char *instructions) {
    enum { ROUNDS = 200000 };
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        if (strcmp(loops[i].instructions, instructions) != 0) continue;
        real result = 0;
        double before = processor_ms();
        long operations = loops[i].loop(ROUNDS, (real)0.5, &result);
        double taken = processor_ms() - before;
        volatile real kept = result;
        (void)kept;
        return (double)operations / taken / 1e6;
    }
    return 0;
}
