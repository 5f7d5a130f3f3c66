/* The hot loops of the network, compiled once for each instruction set (model/base/simd.h) and
 * picked at run time. Formulas are documented where the operations are declared (attention,
 * layernorm, ...).
 *
 * The two lists below generate the struct of pointers, the prototypes and each set's table. ENTRY
 * is called with the result type, name and parameters of each kernel; the kernel `add` is defined
 * as kernel_add_avx2 and so on. */
#ifndef HEADSCOPE_MODEL_KERNELS_KERNELS_H
#define HEADSCOPE_MODEL_KERNELS_KERNELS_H

#include <stdbool.h>

#include "model/base/error.h"
#include "model/base/real.h"
#include "model/base/simd.h"
#include "model/kernels/attention.h"
#include "model/kernels/dropout.h"

/* clang-format off */
#define KERNEL_LIST(ENTRY)                                                                         \
    /* attention_forward and attention_backward for one head of one example. */                    \
    ENTRY(void, attention_forward,                                                                 \
          (const Attention *call, int example, int head, real *scratch))                           \
    ENTRY(void, attention_backward,                                                                \
          (HeadTensor d_query, HeadTensor d_key, HeadTensor d_value, HeadTensor d_context,         \
           const Attention *call, int example, int head, real *scratch))                           \
    /* layernorm_forward and layernorm_backward (model/network/layers.h). */                       \
    ENTRY(void, layernorm_forward,                                                                 \
          (real *y, real *mean, real *rstd, const real *x, const real *gain, const real *shift,    \
           int rows, int width, real epsilon))                                                     \
    ENTRY(void, layernorm_backward,                                                                \
          (real *dx, real *dgain, real *dshift, const real *dy, const real *mean,                  \
           const real *rstd, const real *x, const real *gain, int rows, int width))                \
    /* One row of loss_backward (model/network/loss.h): returns its loss and replaces the logits   \
     * by their gradient. */                                                                       \
    ENTRY(double, loss_row,                                                                        \
          (real *logits, int vocabulary, int target, real smoothing, real weight))                 \
    /* y = a + b * dropout, of `n` numbers that start at index 0 of the dropout. */                \
    ENTRY(void, add_dropped, (real *y, const real *a, const real *b, Dropout dropout, long n))     \
    /* y = x * dropout */                                                                          \
    ENTRY(void, drop, (real *y, const real *x, Dropout dropout, long n))                           \
    /* y += x */                                                                                   \
    ENTRY(void, add, (real *y, const real *x, long n))                                             \
    /* sum[cols] += the sum of the rows of x */                                                    \
    ENTRY(void, add_rows, (real *sum, const real *x, long rows, int cols))                         \
    /* h = relu(h) * dropout in place, and d = d * !(h <= 0) * scale in place: NaN stays NaN. */   \
    ENTRY(void, relu_forward, (real *h, Dropout dropout, long n))                                  \
    ENTRY(void, relu_backward, (real *d, const real *h, real scale, long n))                       \
    /* sum = parts[0] + parts[1] + ... in that order; returns the sum of squares. */               \
    ENTRY(double, sum_parts, (real *sum, const real *const *parts, int count, long n))             \
    /* train_adam_step (model/training/trainer.h) on n numbers. */                                 \
    ENTRY(void, adam,                                                                              \
          (real *value, real *first, real *second, const real *gradient, real scale, real rate,    \
           real correction, real beta1, real beta2, real epsilon, long n))                         \
    /* linear_forward of one row: y[out] = weight[out,in] x + bias (may be NULL). NULL if BLAS     \
     * computes all products. */                                                                   \
    ENTRY(void, linear_row,                                                                        \
          (real *y, const real *x, const real *weight, const real *bias, int out, int in))

/* The products of a linear layer and its gradients (model/network/layers.h): y = x weight^T + bias;
 * d_x = d_y weight, or `+=` with keep; d_weight += d_y^T x. A set has all three, or none (NULL) if
 * BLAS computes them. */
#define KERNEL_PRODUCTS(ENTRY)                                                                     \
    ENTRY(void, linear_rows,                                                                       \
          (real *y, const real *x, const real *weight, const real *bias, int rows, int out,        \
           int in))                                                                                \
    ENTRY(void, linear_rows_input,                                                                 \
          (real *d_x, bool keep, const real *d_y, const real *weight, int rows, int out, int in))  \
    ENTRY(void, linear_rows_weight,                                                                \
          (real *d_weight, const real *d_y, const real *x, int rows, int out, int in))
/* clang-format on */

#define KERNEL_MEMBER(result, name, parameters)  result(*name) parameters;
#define KERNEL_DECLARE(result, name, parameters) SIMD_DECLARE(result, kernel_##name, parameters);

typedef struct Kernels {
    const char *name; /* "base", "avx2", "avx512"; "blas": the best set, with products by BLAS */
    const char *instructions; /* "base", "avx2", "avx512": the set it is compiled for */
    KERNEL_LIST(KERNEL_MEMBER)
    KERNEL_PRODUCTS(KERNEL_MEMBER)
} Kernels;

KERNEL_LIST(KERNEL_DECLARE)
KERNEL_PRODUCTS(KERNEL_DECLARE)
SIMD_DECLARE(extern const Kernels, kernels, );

/* The set in use: the best that this processor can run, or the one that the environment variable
 * HEADSCOPE_KERNELS names. Read once. */
const Kernels *kernels_in_use(void);

/* False with *error (ERROR_USAGE) if HEADSCOPE_KERNELS names a set that is unknown or that this
 * processor cannot run; the best set is then in use. */
bool kernels_check(Error *error);

/* The sets that this processor can run, best first, ended by NULL. */
const Kernels *const *kernels_usable(void);

#endif
