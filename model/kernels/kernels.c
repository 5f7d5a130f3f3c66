#include "model/kernels/kernels.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const Kernels *const *kernels_usable(void) {
#ifdef __x86_64__
    static const Kernels *const best_first[] = {&kernels_avx512, &kernels_avx2, &kernels_base,
                                                NULL};
    return best_first + (SIMD_AVX512 - simd_best());
#else
    static const Kernels *const best_first[] = {&kernels_base, NULL};
    return best_first;
#endif
}

/* --- the set in use --------------------------------------------------------------------------- */

#define NONE_OF(result, name, parameters) kernels.name = NULL;

static Kernels with_blas(Kernels kernels) {
    kernels.name = "blas";
    kernels.linear_row = NULL;
    KERNEL_PRODUCTS(NONE_OF)
    return kernels;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static Kernels in_use;
static bool refused;
static Error refusal;

static void refuse(const char *name) {
    static const char *const known[] = {"base", "avx2", "avx512"};
    bool is_known = false;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        is_known = is_known || strcmp(name, known[i]) == 0;
    refused = true;
    if (is_known)
        error_usage(&refusal,
                    "HEADSCOPE_KERNELS=%s: this processor cannot run these; its best are %s", name,
                    kernels_usable()[0]->name);
    else
        error_usage(&refusal, "HEADSCOPE_KERNELS=%s: it takes base, avx2, avx512 or blas", name);
}

static void choose(void) {
    const char *name = getenv("HEADSCOPE_KERNELS");
    in_use = SIMD_PICK(kernels);
    if (!name || !name[0] || strcmp(name, in_use.name) == 0) return;
    if (strcmp(name, "blas") == 0)
        in_use = with_blas(in_use);
    else
        refuse(name);
}

const Kernels *kernels_in_use(void) {
    pthread_once(&once, choose);
    return &in_use;
}

bool kernels_check(Error *error) {
    kernels_in_use();
    if (refused && error) *error = refusal;
    return !refused;
}
