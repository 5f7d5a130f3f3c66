/* A clock for measuring. */
#ifndef HEADSCOPE_MODEL_BASE_CLOCK_H
#define HEADSCOPE_MODEL_BASE_CLOCK_H

/* Milliseconds of CLOCK_MONOTONIC, which is the same for all programs of a machine. */
double clock_ms(void);

#endif
