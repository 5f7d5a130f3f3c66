/* Plain loops over floats that the compiler makes vector code of. */
#ifndef HEADSCOPE_MODEL_TRACE_TRACE_VECTOR_H
#define HEADSCOPE_MODEL_TRACE_TRACE_VECTOR_H

/* GCC does it only from -O3 on, and chooses between two values by vectors only where it need not
 * keep the flag of a comparison with a NaN. On x86-64 it does it once more with vectors twice as
 * wide, for processors that have them (picked as the program is loaded, before sanitizers are
 * ready). Clang does it by itself. */
#if defined(__GNUC__) && !defined(__clang__)
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__) &&             \
    !defined(__SANITIZE_THREAD__)
#define VECTOR_CODE                                                                                \
    __attribute__((optimize("O3", "no-trapping-math"), target_clones("default", "avx2")))
#else
#define VECTOR_CODE __attribute__((optimize("O3", "no-trapping-math")))
#endif
#define VECTOR_INLINE static inline __attribute__((always_inline)) /* what such code calls */
#else
#define VECTOR_INLINE static inline
#define VECTOR_CODE
#endif

#endif
