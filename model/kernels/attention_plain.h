/* Attention written index by index, for reading: the specification of the fast kernel, forward and
 * backward, for any rule, right or wrong. In double, whatever `real` is, so that a mistake can be
 * told from rounding. */
#ifndef HEADSCOPE_MODEL_KERNELS_ATTENTION_PLAIN_H
#define HEADSCOPE_MODEL_KERNELS_ATTENTION_PLAIN_H

#include <stdbool.h>

#include "model/kernels/attention.h"

/* Over which scores a softmax sums to 1: of one query over the keys (right), of one key over the
 * queries, of one query and key over the heads. */
typedef enum SoftmaxAxis { SOFTMAX_KEYS, SOFTMAX_QUERIES, SOFTMAX_HEADS } SoftmaxAxis;

/* What a mask does to the pairs of query and key that it hides. */
typedef enum MaskKind {
    MASK_REMOVES, /* they take no part (right; the same as a score of -inf) */
    MASK_ADDS,    /* mask_value is added to their scores */
    MASK_FILLS,   /* mask_value takes the place of their scores (D2L: -1e6) */
    MASK_AFTER,   /* their weights are set to 0 after the softmax, and the rest is as it is */
} MaskKind;

/* The weights of a softmax that has nothing to sum over (MASK_REMOVES). */
typedef enum EmptyLine { EMPTY_ZERO, EMPTY_UNIFORM, EMPTY_NAN } EmptyLine;

/* Multiply-adds as the loops of forward do them, each added one by one. */
typedef struct AttentionCount {
    long scores; /* of queries with keys */
    long mix;    /* of weights with values */
} AttentionCount;

/* All that decides a call besides its numbers; wrong rules can be said as well as right ones. */
typedef struct AttentionRule {
    HeadFold query, key, value, context;
    const int *key_first; /* [B,H,Tq] the first visible key of each query; NULL: 0 */
    const int *key_end;   /* [B,H,Tq] one past the last */
    double scale;
    SoftmaxAxis softmax;
    MaskKind mask;
    double mask_value;
    EmptyLine empty;
    Dropout dropout;       /* of the weights as they mix; the index as in the fast kernel */
    AttentionCount *count; /* `+=` what forward does; backward counts nothing. NULL: not counted */
} AttentionRule;

/* weights [B,H,Tq,Tk] (before dropout) and context, both `=`:
 *   score(t,j)   = scale * sum over i of query(t,i) key(j,i), then the mask
 *   weight(t,j)  = exp(score(t,j)) / sum of exp(score) over the softmax's axis
 *   context(t,i) = sum over j of dropout(weight(t,j)) value(j,i); not over pairs that were removed
 * With the right rule: Vaswani 2017, equation 1. */
void attention_plain_forward(double *context, double *weights, const double *query,
                             const double *key, const double *value, const AttentionRule *rule,
                             AttentionSizes sizes);

/* The weights alone, as forward writes them. */
void attention_plain_weights(double *weights, const double *query, const double *key,
                             const AttentionRule *rule, AttentionSizes sizes);

/* The doubles that backward needs: scratch [attention_plain_scratch]. */
long attention_plain_scratch(AttentionSizes sizes);

/* All gradients `+=`. The softmax is computed anew: nothing of forward is needed. */
void attention_plain_backward(double *d_query, double *d_key, double *d_value,
                              const double *d_context, const double *query, const double *key,
                              const double *value, const AttentionRule *rule, AttentionSizes sizes,
                              double *scratch);

#endif
