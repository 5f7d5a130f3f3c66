/* The hot loops, compiled once for each instruction set (model/kernel_*.c) and picked at run time.
 * The operations (attention, layernorm, ...) own the formulas; these own the vectors. */
#ifndef HEADSCOPE_MODEL_KERNELS_H
#define HEADSCOPE_MODEL_KERNELS_H

#include <stdbool.h>

#include "model/attention.h"
#include "model/dropout.h"
#include "model/real.h"

typedef struct Kernels {
    const char *name; /* "base", "avx2", "avx512" */

    /* One head of one example, as attention_forward and attention_backward say. */
    void (*attention_forward)(const Attention *call, int example, int head, real *scratch);
    void (*attention_backward)(HeadTensor d_query, HeadTensor d_key, HeadTensor d_value,
                               HeadTensor d_context, const Attention *call, int example, int head,
                               real *scratch);

    /* layernorm_forward and layernorm_backward (model/layernorm.h). */
    void (*layernorm_forward)(real *y, real *mean, real *rstd, const real *x, const real *gain,
                              const real *shift, int rows, int width, real epsilon);
    void (*layernorm_backward)(real *dx, real *dgain, real *dshift, const real *dy,
                               const real *mean, const real *rstd, const real *x, const real *gain,
                               int rows, int width);

    /* loss_rows (model/loss.h), one row: returns the loss, turns logits into their gradient. */
    double (*loss_row)(real *logits, int vocabulary, int target, real smoothing, real weight);

    /* y = a + b * dropout, `n` numbers, the first being number `index` of the tensor. */
    void (*add_dropped)(real *y, const real *a, const real *b, Dropout dropout, long n);
    /* y = x * dropout */
    void (*drop)(real *y, const real *x, Dropout dropout, long n);
    /* y += x */
    void (*add)(real *y, const real *x, long n);
    /* y[out] = weight[out,in] x + bias (NULL: none): linear_forward of one row */
    void (*linear_row)(real *y, const real *x, const real *weight, const real *bias, int out,
                       int in);
    /* The same of `rows` rows, and the gradients of it (model/linear.h): y = x weight^T + bias,
     * d_x = d_y weight or `+=` with keep, d_weight += d_y^T x. NULL where BLAS is as fast. */
    void (*linear_rows)(real *y, const real *x, const real *weight, const real *bias, int rows,
                        int out, int in);
    void (*linear_rows_input)(real *d_x, bool keep, const real *d_y, const real *weight, int rows,
                              int out, int in);
    void (*linear_rows_weight)(real *d_weight, const real *d_y, const real *x, int rows, int out,
                               int in);
    /* sum[cols] += the sum of the rows of x */
    void (*add_rows)(real *sum, const real *x, long rows, int cols);

    /* h = relu(h) * dropout in place, and d = d * !(h <= 0) * scale in place: NaN stays NaN. */
    void (*relu_forward)(real *h, Dropout dropout, long n);
    void (*relu_backward)(real *d, const real *h, real scale, long n);

    /* sum = parts[0] + parts[1] + ... in that order; returns the sum of squares. */
    double (*sum_parts)(real *sum, const real *const *parts, int count, long n);
    /* adam_step (model/adam.h) on n numbers. */
    void (*adam)(real *value, real *first, real *second, const real *gradient, real scale,
                 real rate, real correction, real beta1, real beta2, real epsilon, long n);
} Kernels;

/* The set for this processor. */
const Kernels *kernels_best(void);

/* The sets that this processor can run, ended by NULL: for the tests, which compare them. */
const Kernels *const *kernels_usable(void);

#endif
