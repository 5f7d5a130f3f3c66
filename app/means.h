/* The mean outputs of heads that mean ablation puts in their place: over held-out examples of the
 * model's own task. */
#ifndef HEADSCOPE_APP_MEANS_H
#define HEADSCOPE_APP_MEANS_H

#include "data/checkpoint.h"
#include "model/ablation_means.h"

/* Runs the weights over held-out examples. NULL with *error if memory ends; NULL without (its text
 * is empty) if the model is of no task. Free with ablation_means_free. */
AblationMeans *means_of_task(const Model *model, const Params *params, Error *error);

#endif
