/* Minimum, maximum and clamp; clamp returns `max` if min > max. */
#ifndef HEADSCOPE_MODEL_BASE_MINMAX_H
#define HEADSCOPE_MODEL_BASE_MINMAX_H

#include <math.h>
#include <stddef.h>

static inline int int_min(int a, int b) {
    return a < b ? a : b;
}

static inline int int_max(int a, int b) {
    return a > b ? a : b;
}

static inline int int_clamp(int value, int min, int max) {
    return int_min(int_max(value, min), max);
}

static inline size_t size_min(size_t a, size_t b) {
    return a < b ? a : b;
}

/* `min` if the value is NaN. */
static inline float float_clamp(float value, float min, float max) {
    return fminf(fmaxf(value, min), max);
}

#endif
