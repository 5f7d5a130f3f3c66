/* Cross-entropy with label smoothing over the valid steps (Szegedy et al. 2016; PyTorch's
 * CrossEntropyLoss). */
#ifndef HEADSCOPE_MODEL_NETWORK_LOSS_H
#define HEADSCOPE_MODEL_NETWORK_LOSS_H

#include "model/base/real.h"
#include "model/network/batch.h"

/* For each step t < dec_valid_lens[b]:
 *   loss = (1 - smoothing) (-log p[target]) + smoothing / V * sum over v of -log p[v].
 * Returns the sum over the steps, and replaces logits [B*T,V] by the gradient times `weight`, 0 for
 * padded steps. `weight` is 1 / the valid steps of the whole batch, so that the gradients of its
 * slices add up to that of the mean. */
double loss_backward(real *logits, const Batch *batch, int vocabulary, real smoothing, real weight);

/* Returns the number of valid steps of a batch. */
long loss_steps(const Batch *batch);

/* row[V] = log softmax(row), in place. */
void loss_log_softmax(real *row, int vocabulary);

#endif
