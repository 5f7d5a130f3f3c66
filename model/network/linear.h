/* y = x W^T + b, the layer that PyTorch calls Linear. */
#ifndef HEADSCOPE_MODEL_NETWORK_LINEAR_H
#define HEADSCOPE_MODEL_NETWORK_LINEAR_H

#include <stdbool.h>

#include "model/base/error.h"
#include "model/network/params.h"

/* Opens what the products need: BLAS (model/kernels/blas.h), where the kernels in use leave them to
 * it. To be asked before the first one. */
bool linear_prepare(Error *error);

/* y[rows,out] = x[rows,in] weight^T + bias. A NULL bias is none. */
void linear_forward(real *y, const real *x, LinearParams params, int rows, int out, int in);

/* d_x[rows,in] = d_y weight (`=`, or `+=` with keep; not done if d_x is NULL);
 * d_params.weight += d_y^T x; d_params.bias += column sums of d_y (not if NULL). */
void linear_backward(real *d_x, bool keep, LinearParams d_params, const real *d_y, const real *x,
                     LinearParams params, int rows, int out, int in);

#endif
