/* Functions that are compiled once for each instruction set and picked at run time.
 *
 * They are in files named *_simd.c, which the Makefile compiles once for each set, with SIMD_SET
 * defined as its name. Such a file defines NAME as SIMD_NAME(NAME), which is NAME_avx2 if SIMD_SET
 * is avx2. SIMD_DECLARE, in a header that the file and its callers include, declares NAME for all
 * sets, and SIMD_PICK(NAME) is the function of the set in use; both work for constants as well. */
#ifndef HEADSCOPE_MODEL_BASE_SIMD_H
#define HEADSCOPE_MODEL_BASE_SIMD_H

/* Ascending: a processor that runs one set runs those before it. */
typedef enum SimdSet { SIMD_BASE, SIMD_AVX2, SIMD_AVX512 } SimdSet;

/* The best set that this processor runs. */
SimdSet simd_best(void);

/* The set in use: the best, or a lower one that the environment variable HEADSCOPE_KERNELS names.
 * Read once. */
SimdSet simd_in_use(void);

#define SIMD_JOIN_(name, set) name##_##set
#define SIMD_JOIN(name, set)  SIMD_JOIN_(name, set)
#define SIMD_NAME(name)       SIMD_JOIN(name, SIMD_SET)

#ifdef __x86_64__
#define SIMD_DECLARE(result, name, parameters)                                                     \
    result name##_base parameters;                                                                 \
    result name##_avx2 parameters;                                                                 \
    result name##_avx512 parameters
#define SIMD_PICK_OF(set, name)                                                                    \
    ((set) == SIMD_AVX512 ? name##_avx512 : (set) == SIMD_AVX2 ? name##_avx2 : name##_base)
#else
#define SIMD_DECLARE(result, name, parameters) result name##_base parameters
#define SIMD_PICK_OF(set, name)                ((void)(set), name##_base)
#endif
#define SIMD_PICK(name) SIMD_PICK_OF(simd_in_use(), name)

#endif
