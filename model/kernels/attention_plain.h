/* Attention written index by index: the specification of the fast kernel, forward and backward, for
 * any rule, right or wrong. Always in double, so that mistakes can be distinguished from rounding.
 */
#ifndef HEADSCOPE_MODEL_KERNELS_ATTENTION_PLAIN_H
#define HEADSCOPE_MODEL_KERNELS_ATTENTION_PLAIN_H

#include <stdbool.h>

#include "model/kernels/attention.h"

/* The axis over which a softmax sums to 1: the keys of a query (correct), the queries of a key, the
 * heads. */
typedef enum SoftmaxAxis { SOFTMAX_KEYS, SOFTMAX_QUERIES, SOFTMAX_HEADS } SoftmaxAxis;

/* What a mask does to the pairs of query and key that it hides. */
typedef enum MaskKind {
    MASK_REMOVES, /* they take no part in the softmax (correct; same as a score of -inf) */
    MASK_ADDS,    /* mask_value is added to their scores */
    MASK_FILLS,   /* mask_value replaces their scores (D2L: -1e6) */
    MASK_AFTER,   /* their weights are set to 0 after the softmax, without renormalising */
} MaskKind;

/* The weights of a softmax over no scores (MASK_REMOVES). */
typedef enum EmptyLine { EMPTY_ZERO, EMPTY_UNIFORM, EMPTY_NAN } EmptyLine;

/* Multiply-adds, counted one by one in the loops of forward. */
typedef struct AttentionCount {
    long scores; /* query times key */
    long mix;    /* weight times value */
} AttentionCount;

/* How a call computes attention, apart from its sizes and tensors: correct or mistaken. */
typedef struct AttentionRule {
    HeadFold query, key, value, context;
    const int *key_first; /* [B,H,Tq] the first visible key of each query; NULL: 0 */
    const int *key_end;   /* [B,H,Tq] one past the last */
    double scale;
    SoftmaxAxis softmax;
    MaskKind mask;
    double mask_value;
    EmptyLine empty;
    Dropout dropout;       /* of the weights, after the softmax; indexed as in the fast kernel */
    AttentionCount *count; /* `+=` by forward, not by backward; NULL: not counted */
} AttentionRule;

/* weights [B,H,Tq,Tk] (before dropout) and context, both `=`:
 *   score(t,j)   = scale * sum over i of query(t,i) key(j,i), then the mask
 *   weight(t,j)  = exp(score(t,j)) / sum of exp(score) over the softmax's axis
 *   context(t,i) = sum over j of dropout(weight(t,j)) value(j,i); without pairs that were removed
 * With the correct rule: Vaswani 2017, equation 1. */
void attention_plain_forward(double *context, double *weights, const double *query,
                             const double *key, const double *value, const AttentionRule *rule,
                             AttentionSizes sizes);

/* The weights alone, as forward writes them. */
void attention_plain_weights(double *weights, const double *query, const double *key,
                             const AttentionRule *rule, AttentionSizes sizes);

/* How many doubles of scratch backward needs. */
long attention_plain_scratch(AttentionSizes sizes);

/* All gradients `+=`. Recomputes the softmax: needs no results of forward. scratch
 * [attention_plain_scratch]. */
void attention_plain_backward(double *d_query, double *d_key, double *d_value,
                              const double *d_context, const double *query, const double *key,
                              const double *value, const AttentionRule *rule, AttentionSizes sizes,
                              double *scratch);

#endif
