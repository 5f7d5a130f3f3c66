/* A clock for measuring. */
#ifndef HEADSCOPE_MODEL_BASE_CLOCK_H
#define HEADSCOPE_MODEL_BASE_CLOCK_H

#include <time.h>

/* Milliseconds of CLOCK_MONOTONIC, which is the same for all programs of a machine. */
static inline double clock_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

#endif
