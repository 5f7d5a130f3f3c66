#include "app/cli/version.h"

#include <stdio.h>

#include "model/kernels/blas.h"
#include "model/kernels/kernels.h"

static const char *who_multiplies(const Kernels *kernels) {
    return kernels->linear_rows  ? "headscope's own"
           : kernels->linear_row ? "OpenBLAS; those of one row headscope's own"
                                 : "OpenBLAS";
}

void version_print(void) {
    const Kernels *kernels = kernels_in_use();
    char blas[BLAS_DESCRIPTION];
    Error error;
    printf("headscope " HEADSCOPE_VERSION "\nkernels: %s (of", kernels->instructions);
    for (const Kernels *const *set = kernels_usable(); *set; set++)
        printf(" %s", (*set)->name);
    printf(")\nproducts of linear layers: %s\n", who_multiplies(kernels));
    printf("BLAS: %s\n", blas_describe(blas, &error) ? blas : error.text);
}
