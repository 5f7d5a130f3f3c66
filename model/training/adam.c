#include "model/training/adam.h"

#include "model/kernels/kernels.h"

void adam_step(real *value, real *first, real *second, const real *gradient, real scale,
               double rate, int step, const TrainOptions *options, long count) {
    double beta1 = (double)options->beta1, beta2 = (double)options->beta2;
    double first_bias = 1 - pow(beta1, step), second_bias = 1 - pow(beta2, step);
    kernels_in_use()->adam(value, first, second, gradient, scale, (real)(rate / first_bias),
                           (real)(1 / sqrt(second_bias)), (real)beta1, (real)beta2,
                           (real)options->epsilon, count);
}
