/* Matrix products by OpenBLAS, row-major. No other file calls OpenBLAS. */
#ifndef HEADSCOPE_MODEL_KERNELS_BLAS_H
#define HEADSCOPE_MODEL_KERNELS_BLAS_H

#include <stdbool.h>

#include "model/base/error.h"
#include "model/base/real.h"

/* Opens OpenBLAS if it is not linked (model/base/late.h), and limits it to the calling thread: our
 * own threads run whole slices of a batch. False with *error if it cannot be opened. The first
 * product opens it too, but aborts if that fails. */
bool blas_open(Error *error);

/* One line: the library, its version and build, and the processor core that its kernels are for.
 * False with *error if it cannot be opened. */
#define BLAS_DESCRIPTION 256
bool blas_describe(char text[BLAS_DESCRIPTION], Error *error);

/* y[rows,out] = x[rows,in] w[out,in]^T + keep * y, keep 0 or 1; y_row and x_row are the leading
 * dimensions, that of w is `in`. Kernels.linear_row is several times faster for one row. */
void blas_product_by_transpose(real *y, long y_row, const real *x, long x_row, const real *w,
                               int rows, int out, int in, real keep);

/* x[rows,in] = y[rows,out] w[out,in] + keep * x. */
void blas_product(real *x, long x_row, const real *y, long y_row, const real *w, int rows, int out,
                  int in, real keep);

/* w[out,in] += y[rows,out]^T x[rows,in]. */
void blas_add_outer_products(real *w, const real *y, long y_row, const real *x, long x_row,
                             int rows, int out, int in);

#endif
