#include "model/kernels.h"

#include <stdbool.h>
#include <stddef.h>

/* Which products of a linear layer a set does itself (the others are BLAS's): measured against
 * OpenBLAS on the sizes of bench/README.md. */
#define LINEAR_base
#define LINEAR_avx2 .linear_rows = kernel_linear_rows_avx2,
#define LINEAR_avx512                                                                              \
    .linear_rows = kernel_linear_rows_avx512,                                                      \
    .linear_rows_input = kernel_linear_rows_input_avx512,                                          \
    .linear_rows_weight = kernel_linear_rows_weight_avx512,

#define DECLARE(set)                                                                               \
    void kernel_attention_forward_##set(const Attention *, int, int, real *);                      \
    void kernel_attention_backward_##set(HeadTensor, HeadTensor, HeadTensor, HeadTensor,           \
                                         const Attention *, int, int, real *);                     \
    void kernel_layernorm_forward_##set(real *, real *, real *, const real *, const real *,        \
                                        const real *, int, int, real);                             \
    void kernel_layernorm_backward_##set(real *, real *, real *, const real *, const real *,       \
                                         const real *, const real *, const real *, int, int);      \
    double kernel_loss_row_##set(real *, int, int, real, real);                                    \
    void kernel_add_dropped_##set(real *, const real *, const real *, Dropout, long);              \
    void kernel_drop_##set(real *, const real *, Dropout, long);                                   \
    void kernel_add_##set(real *, const real *, long);                                             \
    void kernel_linear_row_##set(real *, const real *, const real *, const real *, int, int);      \
    void kernel_linear_rows_##set(real *, const real *, const real *, const real *, int, int,      \
                                  int);                                                            \
    void kernel_linear_rows_input_##set(real *, bool, const real *, const real *, int, int, int);  \
    void kernel_linear_rows_weight_##set(real *, const real *, const real *, int, int, int);       \
    void kernel_add_rows_##set(real *, const real *, long, int);                                   \
    void kernel_relu_forward_##set(real *, Dropout, long);                                         \
    void kernel_relu_backward_##set(real *, const real *, real, long);                             \
    double kernel_sum_parts_##set(real *, const real *const *, int, long);                         \
    void kernel_adam_##set(real *, real *, real *, const real *, real, real, real, real, real,     \
                           real, long);                                                            \
    static const Kernels kernels_##set = {                                                         \
        .name = #set,                                                                              \
        .attention_forward = kernel_attention_forward_##set,                                       \
        .attention_backward = kernel_attention_backward_##set,                                     \
        .layernorm_forward = kernel_layernorm_forward_##set,                                       \
        .layernorm_backward = kernel_layernorm_backward_##set,                                     \
        .loss_row = kernel_loss_row_##set,                                                         \
        .add_dropped = kernel_add_dropped_##set,                                                   \
        .drop = kernel_drop_##set,                                                                 \
        .add = kernel_add_##set,                                                                   \
        .linear_row = kernel_linear_row_##set,                                                     \
        LINEAR_##set.add_rows = kernel_add_rows_##set,                                             \
        .relu_forward = kernel_relu_forward_##set,                                                 \
        .relu_backward = kernel_relu_backward_##set,                                               \
        .sum_parts = kernel_sum_parts_##set,                                                       \
        .adam = kernel_adam_##set,                                                                 \
    };

DECLARE(base)

#ifdef __x86_64__
DECLARE(avx2)
DECLARE(avx512)

static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void) {
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}

const Kernels *const *kernels_usable(void) {
    static const Kernels *const best_first[] = {&kernels_avx512, &kernels_avx2, &kernels_base,
                                                NULL};
    return has_avx512() ? best_first : has_avx2() ? best_first + 1 : best_first + 2;
}
#else
const Kernels *const *kernels_usable(void) {
    static const Kernels *const best_first[] = {&kernels_base, NULL};
    return best_first;
}
#endif

const Kernels *kernels_best(void) {
    return kernels_usable()[0];
}
