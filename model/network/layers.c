#include "model/network/layers.h"

#include <string.h>

#include "model/kernels/blas.h"
#include "model/kernels/kernels.h"

/* --- linear ----------------------------------------------------------------------------------- */

bool linear_prepare(Error *error) {
    return kernels_in_use()->linear_rows || blas_open(error);
}

void linear_forward(real *y, const real *x, LinearParams params, int rows, int out, int in) {
    const Kernels *kernels = kernels_in_use();
    if (rows == 1 && kernels->linear_row) {
        kernels->linear_row(y, x, params.weight, params.bias, out, in);
        return;
    }
    if (kernels->linear_rows) {
        kernels->linear_rows(y, x, params.weight, params.bias, rows, out, in);
        return;
    }
    /* Accumulates onto the bias, which saves a pass over y. */
    if (params.bias)
        for (int row = 0; row < rows; row++)
            memcpy(y + (long)row * out, params.bias, (size_t)out * sizeof *y);
    blas_product_by_transpose(y, out, x, in, params.weight, rows, out, in, params.bias ? 1 : 0);
}

void linear_backward(real *d_x, bool keep, LinearParams d_params, const real *d_y, const real *x,
                     LinearParams params, int rows, int out, int in) {
    const Kernels *kernels = kernels_in_use();
    if (d_x && kernels->linear_rows_input)
        kernels->linear_rows_input(d_x, keep, d_y, params.weight, rows, out, in);
    else if (d_x)
        blas_product(d_x, in, d_y, out, params.weight, rows, out, in, keep ? 1 : 0);
    if (kernels->linear_rows_weight)
        kernels->linear_rows_weight(d_params.weight, d_y, x, rows, out, in);
    else
        blas_add_outer_products(d_params.weight, d_y, out, x, in, rows, out, in);
    if (d_params.bias) kernels->add_rows(d_params.bias, d_y, rows, out);
}

/* --- layer norm ------------------------------------------------------------------------------- */

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

/* --- feed-forward ----------------------------------------------------------------------------- */

/* x Phi(x), Phi the normal CDF (Hendrycks and Gimpel 2016), and its derivative. */
static real gelu(real x) {
    return (real)(0.5 * (double)x * (1 + erf((double)x * 0.7071067811865476)));
}

static real gelu_slope(real x) {
    double value = (double)x, density = exp(-0.5 * value * value) * 0.3989422804014327;
    return (real)(0.5 * (1 + erf(value * 0.7071067811865476)) + value * density);
}

void feedforward_forward(real *y, FeedforwardSaved saved, const real *x, LinearParams linear1,
                         LinearParams linear2, int rows, const Config *config, Dropout dropout) {
    int width = config->width, inner = config->ffn_width;
    long count = (long)rows * inner;
    if (config->activation == ACTIVATION_RELU) {
        linear_forward(saved.hidden, x, linear1, rows, inner, width);
        kernels_in_use()->relu_forward(saved.hidden, dropout, count);
    } else {
        linear_forward(saved.before, x, linear1, rows, inner, width);
        for (long i = 0; i < count; i++)
            saved.hidden[i] = gelu(saved.before[i]);
        if (dropout.threshold) kernels_in_use()->drop(saved.hidden, saved.hidden, dropout, count);
    }
    linear_forward(y, saved.hidden, linear2, rows, width, inner);
}

void feedforward_backward(real *d_x, real *d_hidden, LinearParams d_linear1, LinearParams d_linear2,
                          const real *d_y, FeedforwardSaved saved, const real *x,
                          LinearParams linear1, LinearParams linear2, int rows,
                          const Config *config, Dropout dropout) {
    int width = config->width, inner = config->ffn_width;
    long count = (long)rows * inner;
    linear_backward(d_hidden, 0, d_linear2, d_y, saved.hidden, linear2, rows, width, inner);
    if (config->activation == ACTIVATION_RELU) {
        /* Both dropped and negative units have a saved output of 0. */
        kernels_in_use()->relu_backward(d_hidden, saved.hidden, dropout.scale, count);
    } else {
        if (dropout.threshold) kernels_in_use()->drop(d_hidden, d_hidden, dropout, count);
        for (long i = 0; i < count; i++)
            d_hidden[i] *= gelu_slope(saved.before[i]);
    }
    linear_backward(d_x, 0, d_linear1, d_hidden, x, linear1, rows, inner, width);
}
