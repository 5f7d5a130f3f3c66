/* The mean output of every head over example texts, for mean ablation: added up batch by batch. */
#ifndef HEADSCOPE_MODEL_NETWORK_ABLATION_MEANS_H
#define HEADSCOPE_MODEL_NETWORK_ABLATION_MEANS_H

#include "model/network/transformer.h"

typedef struct AblationMeans AblationMeans;

/* No step seen yet. NULL with *error for lack of memory. Free with ablation_means_free. */
AblationMeans *ablation_means_make(const Config *config, Error *error);
void ablation_means_free(AblationMeans *means); /* NULL is fine */

/* Adds what each head gave at the valid steps of the batch: a forward pass of the real model over
 * it (options {0}) has just filled the workspace. Sums are double. A step that saw no key counts,
 * with the 0 that it gave. */
void ablation_means_add(AblationMeans *means, const Workspace *workspace, const Batch *batch);

/* Sets the ablation's means, of the same config: sum / steps; 0 where there was no step. More may
 * be added afterwards. */
void ablation_means_store(const AblationMeans *means, Ablation *ablation);

#endif
