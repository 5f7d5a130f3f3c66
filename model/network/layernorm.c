#include "model/network/layernorm.h"

#include "model/kernels/kernels.h"

void layernorm_forward(real *y, real *mean, real *rstd, const real *x, NormParams params, int rows,
                       int width, real epsilon) {
    kernels_in_use()->layernorm_forward(y, mean, rstd, x, params.gain, params.shift, rows, width,
                                        epsilon);
}

void layernorm_backward(real *d_x, NormParams d_params, const real *d_y, const real *mean,
                        const real *rstd, const real *x, NormParams params, int rows, int width) {
    kernels_in_use()->layernorm_backward(d_x, d_params.gain, d_params.shift, d_y, mean, rstd, x,
                                         params.gain, rows, width);
}
