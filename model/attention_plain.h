/* Attention written index by index, for reading: the specification of the fast kernel, forward and
 * backward, for any rule. */
#ifndef HEADSCOPE_MODEL_ATTENTION_PLAIN_H
#define HEADSCOPE_MODEL_ATTENTION_PLAIN_H

#include "model/attention.h"

/* All that decides a call besides its numbers; wrong rules can be said as well as right ones. */
typedef struct AttentionRule {
    HeadFold query, key, value, context;
    const int *key_first; /* [B,H,Tq] the first visible key of each query; NULL: 0 */
    const int *key_end;   /* [B,H,Tq] one past the last */
    real scale;
} AttentionRule;

/* weights [B,H,Tq,Tk] and context, as attention_forward but with unpadded rows and no dropout:
 *   score(t,j)  = scale * sum over i of query(t,i) key(j,i)
 *   weight(t,j) = exp(score(t,j)) / sum over visible j' of exp(score(t,j')), 0 if not visible
 *   context(t,i) = sum over j of weight(t,j) value(j,i) */
void attention_plain_forward(real *context, real *weights, const real *query, const real *key,
                             const real *value, const AttentionRule *rule, AttentionSizes sizes);

/* All gradients `+=`. */
void attention_plain_backward(real *d_query, real *d_key, real *d_value, const real *d_context,
                              const real *weights, const real *query, const real *key,
                              const real *value, const AttentionRule *rule, AttentionSizes sizes);

#endif
