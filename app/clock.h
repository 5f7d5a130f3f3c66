/* A clock for measuring. */
#ifndef HEADSCOPE_APP_CLOCK_H
#define HEADSCOPE_APP_CLOCK_H

/* Milliseconds of CLOCK_MONOTONIC, which is the same for all programs of a machine. */
double clock_ms(void);

#endif
