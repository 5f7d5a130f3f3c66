/* The mean output of every head over example texts, for mean ablation, accumulated batch by batch.
 */
#ifndef HEADSCOPE_MODEL_NETWORK_ABLATION_MEANS_H
#define HEADSCOPE_MODEL_NETWORK_ABLATION_MEANS_H

#include "model/network/transformer.h"

typedef struct AblationMeans AblationMeans;

/* No step seen yet. NULL with *error for lack of memory. Free with ablation_means_free. */
AblationMeans *ablation_means_make(const Config *config, Error *error);
void ablation_means_free(AblationMeans *means); /* NULL is fine */

/* Adds the output of each head at the valid steps of the batch. The workspace must hold a forward
 * pass over it with options {0}. Sums are double. A step that sees no key counts with its output of
 * 0. */
void ablation_means_add(AblationMeans *means, const Workspace *workspace, const Batch *batch);

/* Sets the means of an ablation of the same config: sum / steps, or 0 without steps. More may be
 * added afterwards. */
void ablation_means_store(const AblationMeans *means, Ablation *ablation);

#endif
