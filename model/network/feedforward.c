#include "model/network/feedforward.h"

#include "model/kernels/kernels.h"
#include "model/network/linear.h"

/* x Phi(x), Phi the normal distribution (Hendrycks and Gimpel 2016), and its derivative. */
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
        /* A dropped unit and a negative one both left 0 behind. */
        kernels_in_use()->relu_backward(d_hidden, saved.hidden, dropout.scale, count);
    } else {
        if (dropout.threshold) kernels_in_use()->drop(d_hidden, d_hidden, dropout, count);
        for (long i = 0; i < count; i++)
            d_hidden[i] *= gelu_slope(saved.before[i]);
    }
    linear_backward(d_x, 0, d_linear1, d_hidden, x, linear1, rows, inner, width);
}
