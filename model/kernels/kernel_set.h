/* Names for files that are compiled once for each instruction set: KERNEL(add) is kernel_add_avx2
 * when KERNEL_SET is avx2. The prototypes of all kernels of that set, for the compiler to check. */
#ifndef HEADSCOPE_MODEL_KERNELS_KERNEL_SET_H
#define HEADSCOPE_MODEL_KERNELS_KERNEL_SET_H

#include "model/kernels/kernels.h"

#ifndef KERNEL_SET
#error "compile with -DKERNEL_SET=base, avx2 or avx512 (see the Makefile)"
#endif

#define KERNEL_JOIN_(name, set) kernel_##name##_##set
#define KERNEL_JOIN(name, set)  KERNEL_JOIN_(name, set)
#define KERNEL(name)            KERNEL_JOIN(name, KERNEL_SET)

#define KERNEL_PROTOTYPE(SET, result, name, parameters) result KERNEL_JOIN(name, SET) parameters;
KERNEL_LIST(KERNEL_PROTOTYPE, KERNEL_SET)
KERNEL_PRODUCTS(KERNEL_PROTOTYPE, KERNEL_SET)

#endif
