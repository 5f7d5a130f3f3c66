/* The number type of the network: float in the program. Tests build the same sources with
 * -DHEADSCOPE_DOUBLE to compare gradients and ten Adam steps to 1e-8, which float cannot resolve.
 */
#ifndef HEADSCOPE_MODEL_BASE_REAL_H
#define HEADSCOPE_MODEL_BASE_REAL_H

#include <math.h>

#ifdef HEADSCOPE_DOUBLE
typedef double real;
#define real_exp  exp
#define real_log  log
#define real_sqrt sqrt
#define real_fabs fabs
#else
typedef float real;
#define real_exp  expf
#define real_log  logf
#define real_sqrt sqrtf
#define real_fabs fabsf
#endif

#endif
