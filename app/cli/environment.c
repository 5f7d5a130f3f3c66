#include "app/cli/environment.h"

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
