/* Names for files that are compiled once for each instruction set: KERNEL(add) is add_avx2 when
 * KERNEL_SET is avx2. */
#ifndef HEADSCOPE_MODEL_KERNEL_SET_H
#define HEADSCOPE_MODEL_KERNEL_SET_H

#ifndef KERNEL_SET
#error "compile with -DKERNEL_SET=base, avx2 or avx512 (see the Makefile)"
#endif

#define KERNEL_JOIN_(name, set) name##_##set
#define KERNEL_JOIN(name, set)  KERNEL_JOIN_(name, set)
#define KERNEL(name)            KERNEL_JOIN(kernel_##name, KERNEL_SET)

#endif
