#include "model/blas.h"

#include <cblas.h>

#ifdef HEADSCOPE_DOUBLE
#define blas_gemm cblas_dgemm
#else
#define blas_gemm cblas_sgemm
#endif

void blas_use_one_thread(void) {
    openblas_set_num_threads(1);
}

void blas_product_by_transpose(real *y, long y_row, const real *x, long x_row, const real *w,
                               int rows, int out, int in, real keep) {
    blas_gemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, out, in, 1, x, (blasint)x_row, w, in,
              keep, y, (blasint)y_row);
}

void blas_product(real *x, long x_row, const real *y, long y_row, const real *w, int rows, int out,
                  int in, real keep) {
    blas_gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, in, out, 1, y, (blasint)y_row, w, in,
              keep, x, (blasint)x_row);
}

void blas_add_outer_products(real *w, const real *y, long y_row, const real *x, long x_row,
                             int rows, int out, int in) {
    blas_gemm(CblasRowMajor, CblasTrans, CblasNoTrans, out, in, rows, 1, y, (blasint)y_row, x,
              (blasint)x_row, 1, w, in);
}
