#include "app/cli/about.h"

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

const EnvironmentVariable environment_variables[] = {
    {"HEADSCOPE_KERNELS",
     "base, avx2 or avx512: the kernels to use, else the best that the processor can run; blas: "
     "the best, with all products of linear layers by OpenBLAS (--version shows what runs)"},
    {"XDG_CONFIG_HOME", "the folder of headscope/config, the window's settings [~/.config]"},
    {"XDG_STATE_HOME", "the folder of headscope/last, what was open last [~/.local/state]"},
    {"SDL_VIDEODRIVER", "x11 or wayland: where the window opens, else where there is a display"},
    {"FONTCONFIG_FILE",
     "fontconfig's configuration; where this or FONTCONFIG_PATH is set, fontconfig chooses the "
     "fonts, else DejaVu Sans is used if it is installed"},
    {0},
};
