/* The mean output of a head, which mean ablation puts in its place: over held-out examples of the
 * model's own task, in the window as in `ablate`, whatever texts are looked at. A model of no task
 * has the texts at hand alone (model/network/ablation_means.h). */
#ifndef HEADSCOPE_APP_PASS_HEAD_MEANS_H
#define HEADSCOPE_APP_PASS_HEAD_MEANS_H

#include "data/models/checkpoint.h"
#include "model/network/ablation_means.h"

/* The first held-out examples, or as many as the task has. */
enum { HEAD_MEANS_EXAMPLES = 200 };

/* Runs the weights over held-out examples. NULL with *error if memory ends; NULL without (its text
 * is empty) if the model is of no task. Free with ablation_means_free. */
AblationMeans *head_means_of_task(const Model *model, const Params *params, Error *error);

/* What the mean is over, in words, of a model that reads `texts` texts: "200 held-out examples of
 * dates", "this text alone", "these 3 texts". */
void head_means_name(char *text, size_t size, const Model *model, int texts);

#endif
