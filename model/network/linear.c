#include "model/network/linear.h"

#include <string.h>

#include "model/kernels/blas.h"
#include "model/kernels/kernels.h"

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
    /* The product adds onto the bias: one pass over y less than adding it afterwards. */
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
