/* Matrix products by OpenBLAS; the only way to it. Row-major. */
#ifndef HEADSCOPE_MODEL_KERNELS_BLAS_H
#define HEADSCOPE_MODEL_KERNELS_BLAS_H

#include <stdbool.h>

#include "model/base/error.h"
#include "model/base/real.h"

/* Makes OpenBLAS ready: opens it where it is not linked (model/base/late.h), and keeps it to the
 * calling thread. Our threads run whole slices of a batch, and two teams must not be nested. False
 * with *error where it cannot be opened. The first product does it as well, but cannot tell. */
bool blas_open(Error *error);

/* Which library it is, with its version, its build and the processor's core that its kernels are
 * for; one line. False with *error where it cannot be opened. */
#define BLAS_DESCRIPTION 256
bool blas_describe(char text[BLAS_DESCRIPTION], Error *error);

/* y[rows,out] = x[rows,in] w[out,in]^T + keep * y, keep 0 or 1; the leading dimension of y and x is
 * given, that of w is `in`. For one row see Kernels.linear_row, which is several times faster. */
void blas_product_by_transpose(real *y, long y_row, const real *x, long x_row, const real *w,
                               int rows, int out, int in, real keep);

/* x[rows,in] = y[rows,out] w[out,in] + keep * x. */
void blas_product(real *x, long x_row, const real *y, long y_row, const real *w, int rows, int out,
                  int in, real keep);

/* w[out,in] += y[rows,out]^T x[rows,in]. */
void blas_add_outer_products(real *w, const real *y, long y_row, const real *x, long x_row,
                             int rows, int out, int in);

#endif
