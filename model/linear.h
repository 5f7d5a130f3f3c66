/* y = x W^T + b, the layer that PyTorch calls Linear. */
#ifndef HEADSCOPE_MODEL_LINEAR_H
#define HEADSCOPE_MODEL_LINEAR_H

#include <stdbool.h>

#include "model/params.h"

/* Whether some of these products are BLAS's on this processor, which is then to be opened
 * (model/blas.h). */
bool linear_needs_blas(void);

/* y[rows,out] = x[rows,in] weight^T + bias. A NULL bias is none. */
void linear_forward(real *y, const real *x, LinearParams params, int rows, int out, int in);

/* d_x[rows,in] = d_y weight (`=`, or `+=` with keep; not done if d_x is NULL);
 * d_params.weight += d_y^T x; d_params.bias += column sums of d_y (not if NULL). */
void linear_backward(real *d_x, bool keep, LinearParams d_params, const real *d_y, const real *x,
                     LinearParams params, int rows, int out, int in);

#endif
