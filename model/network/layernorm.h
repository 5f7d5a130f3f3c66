/* Layer normalisation (Ba, Kiros, Hinton 2016; D2L 11.7.3). */
#ifndef HEADSCOPE_MODEL_NETWORK_LAYERNORM_H
#define HEADSCOPE_MODEL_NETWORK_LAYERNORM_H

#include "model/network/params.h"

/* y[rows,W] = (x - mean) rstd gain + shift with rstd = 1/sqrt(variance + epsilon), over each row;
 * saves mean [rows] and rstd [rows]. */
void layernorm_forward(real *y, real *mean, real *rstd, const real *x, NormParams params, int rows,
                       int width, real epsilon);

/* d_x[rows,W] `=` (d_x may be d_y); d_params `+=`. */
void layernorm_backward(real *d_x, NormParams d_params, const real *d_y, const real *mean,
                        const real *rstd, const real *x, NormParams params, int rows, int width);

#endif
