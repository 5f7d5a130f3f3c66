/* The cost of a call of multi-head attention, by formula and by counting. A product of [m,k] and
 * [k,n] is 2mnk floating point operations, a multiplication and an addition each. Masked pairs are
 * included, since a mask of -inf computes them too. Biases, softmax and scaling are left out. */
#ifndef HEADSCOPE_MODEL_ANALYSIS_COST_H
#define HEADSCOPE_MODEL_ANALYSIS_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/error.h"

/* heads * head_width is W if each head has W/H columns (Vaswani 2017 3.2.2), and H*W if each has
 * the full width (what UDL problem 12.5 asks not to do). */
typedef struct CostCall {
    int batch, queries, keys, width, heads, head_width; /* B, Tq, Tk, W, H, D */
} CostCall;

/* The same call with the full width in every head. */
CostCall cost_full_width(CostCall call);

/* The number of parameters: query, key and value [H*D,W], output [W,H*D], and with `bias` 3*H*D + W
 * more. With D = W/H: 4*W*W for any H. */
long cost_parameters(CostCall call, bool bias);

/* The number of attention weights, B*H*Tq*Tk, which is also that of exponentials in the softmax. */
long cost_weights(CostCall call);

/* The bytes of the attention weights in float32. */
long cost_weight_bytes(CostCall call);

/* Floating point operations. */
typedef struct CostFlops {
    long query, key, value, output; /* projections: 2*B*Tq*W*HD, 2*B*Tk*W*HD twice, 2*B*Tq*HD*W */
    long scores;                    /* 2*B*H*Tq*Tk*D */
    long mix;                       /* 2*B*H*Tq*Tk*D */
} CostFlops;

CostFlops cost_flops(CostCall call);
long cost_projections(CostFlops flops);
long cost_total(CostFlops flops);

/* The same by counting: runs the call on random numbers, with all keys visible, and counts the
 * multiply-adds in the loops of the projections and of the plain kernel; flops are twice as many.
 * False with *error for lack of memory. */
bool cost_count(CostFlops *flops, CostCall call, uint64_t seed, Error *error);

#endif
