/* What a call of multi-head attention costs, by formula and counted. A product of [m,k] and [k,n]
 * is 2mnk floating point operations: a multiplication and an addition each; those of masked pairs
 * are included, as a mask of -inf does them. Biases, the softmax and scales are left out. */
#ifndef HEADSCOPE_MODEL_ANALYSIS_COST_H
#define HEADSCOPE_MODEL_ANALYSIS_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/error.h"

/* The heads of a call have together heads * head_width columns: W, where each head has W/H (Vaswani
 * 2017 3.2.2); H*W, where each has the full width (what UDL problem 12.5 asks not to do). */
typedef struct CostCall {
    int batch, queries, keys, width, heads, head_width; /* B, Tq, Tk, W, H, D */
} CostCall;

/* The same call with the full width in every head. */
CostCall cost_full_width(CostCall call);

/* Numbers to learn: query, key and value [H*D,W], output [W,H*D], and with `bias` 3*H*D + W more.
 * With D = W/H they are 4*W*W, whatever H is. */
long cost_parameters(CostCall call, bool bias);

/* Attention weights, B*H*Tq*Tk: so many exponentials has the softmax. */
long cost_weights(CostCall call);

/* Their bytes in float32. */
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

/* The same, counted: the whole call is run on random numbers, all keys visible, with projections
 * written index by index and the plain kernel, and each of their loops counts what it does. Twice
 * the multiply-adds. False with *error for lack of memory. */
bool cost_count(CostFlops *flops, CostCall call, uint64_t seed, Error *error);

#endif
