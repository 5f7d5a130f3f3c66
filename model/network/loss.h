/* Cross-entropy with label smoothing over the valid steps (Szegedy et al. 2016; PyTorch's
 * CrossEntropyLoss). */
#ifndef HEADSCOPE_MODEL_NETWORK_LOSS_H
#define HEADSCOPE_MODEL_NETWORK_LOSS_H

#include "model/base/real.h"
#include "model/network/batch.h"

/* For each step t < dec_valid_lens[b]:
 *   loss = (1 - smoothing) (-log p[target]) + smoothing / V * sum over v of -log p[v].
 * Returns the sum over the steps; writes their gradient times `weight` over logits [B*T,V]; the
 * gradient of a padded step is 0. `weight` is 1 / the valid steps of the whole batch, so that the
 * slices of a batch add up to its mean. */
double loss_backward(real *logits, const Batch *batch, int vocabulary, real smoothing, real weight);

/* The valid steps of a batch. */
long loss_steps(const Batch *batch);

/* row[V] = log softmax(row), in place. */
void loss_log_softmax(real *row, int vocabulary);

#endif
