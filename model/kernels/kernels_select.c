#include "model/kernels/kernels.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define PROTOTYPE(set, result, name, parameters) result kernel_##name##_##set parameters;
#define IN_TABLE(set, result, name, parameters)  .name = kernel_##name##_##set,
#define TABLE(set, products)                                                                       \
    KERNEL_LIST(PROTOTYPE, set)                                                                    \
    static const Kernels kernels_##set = {                                                         \
        .name = #set, .instructions = #set, KERNEL_LIST(IN_TABLE, set) products};

TABLE(base, )

#ifdef __x86_64__
KERNEL_PRODUCTS(PROTOTYPE, avx512)

/* Products of our own where they are faster than BLAS's (bench/RESULTS.md). */
TABLE(avx2, )
TABLE(avx512, KERNEL_PRODUCTS(IN_TABLE, avx512))

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

/* --- the one in use --------------------------------------------------------------------------- */

#define NONE_OF(set, result, name, parameters) kernels.name = NULL;

static Kernels with_blas(Kernels kernels) {
    kernels.name = "blas";
    kernels.linear_row = NULL;
    KERNEL_PRODUCTS(NONE_OF, )
    return kernels;
}

/* Chosen once; what came of it. */
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
    in_use = *kernels_usable()[0];
    if (!name || !name[0]) return;
    if (strcmp(name, "blas") == 0) {
        in_use = with_blas(in_use);
        return;
    }
    for (const Kernels *const *set = kernels_usable(); *set; set++)
        if (strcmp((*set)->name, name) == 0) {
            in_use = **set;
            return;
        }
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
