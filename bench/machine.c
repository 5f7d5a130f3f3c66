/* Prints, in one line, what the benchmarks run on: the set of kernels in use and who does the
 * products of linear layers, the processor's own peak with its instructions on one thread
 * (bench/peak.h), and the OpenBLAS with its version, its build, and the core that it has chosen. */
#include <stdio.h>

#include "bench/peak.h"
#include "model/kernels/blas.h"
#include "model/kernels/kernels.h"

int main(void) {
    enum { TRIES = 500 };
    const Kernels *kernels = kernels_in_use();
    double peak = 0;
    for (int i = 0; i < TRIES; i++) {
        double rate = peak_rate();
        if (rate > peak) peak = rate;
    }
    char blas[BLAS_DESCRIPTION];
    Error error;
    printf("kernels %s, products %s, peak of one thread %.1f GFLOP/s; %s\n", kernels->name,
           kernels->linear_rows ? "headscope's own" : "by OpenBLAS", peak,
           blas_describe(blas, &error) ? blas : error.text);
    return 0;
}
