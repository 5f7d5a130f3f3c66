/* Prints, in one line, the OpenBLAS that headscope is linked with: its version and build, and the
 * core type that it has chosen for this machine. */
#include <cblas.h>
#include <stdio.h>

int main(void) {
    printf("%s, core %s\n", openblas_get_config(), openblas_get_corename());
    return 0;
}
