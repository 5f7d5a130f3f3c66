/* The layers of a block besides attention: linear, layer norm and feed-forward, forward and
 * backward. */
#ifndef HEADSCOPE_MODEL_NETWORK_LAYERS_H
#define HEADSCOPE_MODEL_NETWORK_LAYERS_H

#include <stdbool.h>

#include "model/base/error.h"
#include "model/kernels/dropout.h"
#include "model/network/params.h"

/* --- linear: y = x W^T + b -------------------------------------------------------------------- */

/* Opens BLAS (model/kernels/blas.h) if the kernels in use need it. Call it before the first
 * product.
 */
bool linear_prepare(Error *error);

/* y[rows,out] = x[rows,in] weight^T + bias (may be NULL). */
void linear_forward(real *y, const real *x, LinearParams params, int rows, int out, int in);

/* d_x[rows,in] = d_y weight (`=`, or `+=` with keep; skipped if d_x is NULL);
 * d_params.weight += d_y^T x; d_params.bias += column sums of d_y (skipped if NULL). */
void linear_backward(real *d_x, bool keep, LinearParams d_params, const real *d_y, const real *x,
                     LinearParams params, int rows, int out, int in);

/* --- layer norm (Ba, Kiros, Hinton 2016; D2L 11.7.3) ------------------------------------------ */

/* y[rows,W] = (x - mean) rstd gain + shift with rstd = 1/sqrt(variance + epsilon), over each row;
 * saves mean [rows] and rstd [rows]. */
void layernorm_forward(real *y, real *mean, real *rstd, const real *x, NormParams params, int rows,
                       int width, real epsilon);

/* d_x[rows,W] `=` (d_x may be d_y); d_params `+=`. */
void layernorm_backward(real *d_x, NormParams d_params, const real *d_y, const real *mean,
                        const real *rstd, const real *x, NormParams params, int rows, int width);

/* --- feed-forward, W to F to W, at each position (Vaswani 2017, equation 2; D2L 11.7.2) --------
 */

typedef struct FeedforwardSaved {
    real *before; /* [rows,F] the input of the activation; NULL for relu, which does not need it */
    real *hidden; /* [rows,F] dropout(activation) */
} FeedforwardSaved;

/* y[rows,W] = linear2(dropout(activation(linear1(x)))). */
void feedforward_forward(real *y, FeedforwardSaved saved, const real *x, LinearParams linear1,
                         LinearParams linear2, int rows, const Config *config, Dropout dropout);

/* d_x[rows,W] `=`, d_linear1 and d_linear2 `+=`. d_hidden [rows,F] is scratch. */
void feedforward_backward(real *d_x, real *d_hidden, LinearParams d_linear1, LinearParams d_linear2,
                          const real *d_y, FeedforwardSaved saved, const real *x,
                          LinearParams linear1, LinearParams linear2, int rows,
                          const Config *config, Dropout dropout);

#endif
