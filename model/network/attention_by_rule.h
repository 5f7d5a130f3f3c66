/* A call of attention by any rule, over the same tensors as the fast kernel: packs them, runs the
 * plain kernel, and writes back. So a whole network can be run, and trained, with a mistake. */
#ifndef HEADSCOPE_MODEL_NETWORK_ATTENTION_BY_RULE_H
#define HEADSCOPE_MODEL_NETWORK_ATTENTION_BY_RULE_H

#include "model/kernels/attention_plain.h"

/* How many doubles forward needs, and backward. */
long attention_by_rule_scratch(AttentionSizes sizes, bool backward);

/* As attention_forward, but for key_len and scale, which the rule has in its own way; its folds are
 * those of packed tensors [B,steps,W] (model/kernels/mistakes.h), its dropout is the call's. Past
 * Tk the rows of weights are 0. room [attention_by_rule_scratch]. */
void attention_by_rule_forward(const Attention *call, const AttentionRule *rule, double *room);

/* As attention_backward: gradients `=`. Needs nothing of forward but the tensors it read. */
void attention_by_rule_backward(HeadTensor d_query, HeadTensor d_key, HeadTensor d_value,
                                HeadTensor d_context, const Attention *call,
                                const AttentionRule *rule, double *room);

#endif
