/* Prints the values of HEADSCOPE_KERNELS that this machine can run but for the one that is in use
 * without it: `make check` runs the tests of the kernels once more with each. */
#include <stdio.h>

#include "model/kernels/kernels.h"

int main(void) {
    for (const Kernels *const *set = kernels_usable() + 1; *set; set++)
        puts((*set)->name);
    puts("blas");
    return 0;
}
