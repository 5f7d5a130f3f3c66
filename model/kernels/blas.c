#include "model/kernels/blas.h"

#include <cblas.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/base/late.h"

#ifdef HEADSCOPE_DOUBLE
#define blas_gemm cblas_dgemm
#else
#define blas_gemm cblas_sgemm
#endif

#define BLAS_FUNCTIONS(VALUE, NOTHING)                                                             \
    NOTHING(blas_gemm,                                                                             \
            (CBLAS_LAYOUT order, CBLAS_TRANSPOSE transpose_a, CBLAS_TRANSPOSE transpose_b,         \
             blasint m, blasint n, blasint k, real alpha, const real *a, blasint a_row,            \
             const real *b, blasint b_row, real beta, real *c, blasint c_row),                     \
            (order, transpose_a, transpose_b, m, n, k, alpha, a, a_row, b, b_row, beta, c, c_row)) \
    NOTHING(openblas_set_num_threads, (int count), (count))                                        \
    VALUE(char *, openblas_get_config, (void), ())                                                 \
    VALUE(char *, openblas_get_corename, (void), ())

LATE_LIBRARY(open_library, BLAS_FUNCTIONS, HEADSCOPE_LATE_BLAS, "blas",
             "Computes matrix products where the processor has no AVX-512", "required")

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool opened;
static Error failure;

static void open_once(void) {
    opened = open_library(&failure);
    if (opened) openblas_set_num_threads(1);
}

bool blas_open(Error *error) {
    pthread_once(&once, open_once);
    if (!opened && error) *error = failure;
    return opened;
}

bool blas_describe(char text[BLAS_DESCRIPTION], Error *error) {
    if (!blas_open(error)) return false;
    snprintf(text, BLAS_DESCRIPTION, "%s, core %s", openblas_get_config(), openblas_get_corename());
    return true;
}

/* linear_prepare reports a failure before it comes to this. */
static void ensure_open(void) {
    if (!blas_open(NULL)) abort();
}

void blas_product_by_transpose(real *y, long y_row, const real *x, long x_row, const real *w,
                               int rows, int out, int in, real keep) {
    ensure_open();
    blas_gemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, out, in, 1, x, (blasint)x_row, w, in,
              keep, y, (blasint)y_row);
}

void blas_product(real *x, long x_row, const real *y, long y_row, const real *w, int rows, int out,
                  int in, real keep) {
    ensure_open();
    blas_gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, in, out, 1, y, (blasint)y_row, w, in,
              keep, x, (blasint)x_row);
}

void blas_add_outer_products(real *w, const real *y, long y_row, const real *x, long x_row,
                             int rows, int out, int in) {
    ensure_open();
    blas_gemm(CblasRowMajor, CblasTrans, CblasNoTrans, out, in, rows, 1, y, (blasint)y_row, x,
              (blasint)x_row, 1, w, in);
}
