/* The position-wise feed-forward network, W to F to W (Vaswani 2017, equation 2; D2L 11.7.2). */
#ifndef HEADSCOPE_MODEL_NETWORK_FEEDFORWARD_H
#define HEADSCOPE_MODEL_NETWORK_FEEDFORWARD_H

#include "model/kernels/dropout.h"
#include "model/network/params.h"

typedef struct FeedforwardSaved {
    real *before; /* [rows,F] the input of the activation; NULL for relu, which needs none */
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
