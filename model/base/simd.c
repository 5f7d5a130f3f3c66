#include "model/base/simd.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

SimdSet simd_best(void) {
#ifdef __x86_64__
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return SIMD_BASE;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
        return SIMD_AVX512;
    return SIMD_AVX2;
#else
    return SIMD_BASE;
#endif
}

static SimdSet choose(void) {
    static const char *const lower[] = {[SIMD_BASE] = "base", [SIMD_AVX2] = "avx2"};
    const char *name = getenv("HEADSCOPE_KERNELS");
    SimdSet best = simd_best();
    for (int set = SIMD_BASE; name && set < (int)best; set++)
        if (strcmp(name, lower[set]) == 0) return (SimdSet)set;
    return best;
}

/* Threads may race to choose: they all choose the same set. */
SimdSet simd_in_use(void) {
    static atomic_int chosen; /* 1 + the set; 0: not chosen */
    int set = atomic_load_explicit(&chosen, memory_order_relaxed) - 1;
    if (set >= 0) return (SimdSet)set;
    set = (int)choose();
    atomic_store_explicit(&chosen, set + 1, memory_order_relaxed);
    return (SimdSet)set;
}
