/* Attention by any rule on the tensors of the fast kernel: packs them, runs the plain kernel, and
 * unpacks the results, so that a whole network can be run and trained with a mistake. */
#ifndef HEADSCOPE_MODEL_NETWORK_ATTENTION_BY_RULE_H
#define HEADSCOPE_MODEL_NETWORK_ATTENTION_BY_RULE_H

#include "model/kernels/attention_plain.h"

/* How many doubles of scratch one call needs, forward or backward. */
long attention_by_rule_scratch(AttentionSizes sizes, bool backward);

/* As attention_forward, but the mask and the scale are the rule's. The rule's folds are those of
 * packed tensors [B,steps,W] (model/kernels/mistakes.h); its dropout is replaced by the call's.
 * Rows of weights are 0 past Tk. scratch [attention_by_rule_scratch]. */
void attention_by_rule_forward(const Attention *call, const AttentionRule *rule, double *scratch);

/* As attention_backward: gradients `=`. Needs only the inputs of forward, not its results. */
void attention_by_rule_backward(HeadTensor d_query, HeadTensor d_key, HeadTensor d_value,
                                HeadTensor d_context, const Attention *call,
                                const AttentionRule *rule, double *scratch);

#endif
