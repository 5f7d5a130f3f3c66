/* Dropout (Srivastava et al. 2014) from a counter: a hash decides whether element `index` of a
 * tensor is kept, so backward sees the same mask without storing it, in any order and on any
 * thread. */
#ifndef HEADSCOPE_MODEL_KERNELS_DROPOUT_H
#define HEADSCOPE_MODEL_KERNELS_DROPOUT_H

#include <stdint.h>

#include "model/base/real.h"

typedef struct Dropout {
    uint32_t key;       /* differs for each step, slice and tensor */
    uint32_t threshold; /* rate * 2^32; 0: no dropout */
    real scale;         /* 1 / (1 - rate) */
} Dropout;

/* The factor of element `index`: `scale` if kept, else 0 (hash: Wellons' lowbias32). */
static inline real dropout_factor(Dropout dropout, uint32_t index) {
    uint32_t x = index * 0x9E3779B1u + dropout.key;
    x = (x ^ (x >> 16)) * 0x7FEB352Du;
    x = (x ^ (x >> 15)) * 0x846CA68Bu;
    x ^= x >> 16;
    return x >= dropout.threshold ? dropout.scale : 0;
}

/* The dropout of one tensor; none for `rate` 0. */
static inline Dropout dropout_make(double rate, uint64_t key) {
    return (Dropout){.key = (uint32_t)(key ^ (key >> 32)),
                     .threshold = (uint32_t)(4294967296.0 * rate),
                     .scale = (real)(1.0 / (1.0 - rate))};
}

#endif
