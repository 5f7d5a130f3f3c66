/* Adam (Kingma and Ba 2015, algorithm 1), as torch.optim.Adam computes it. */
#ifndef HEADSCOPE_MODEL_TRAINING_ADAM_H
#define HEADSCOPE_MODEL_TRAINING_ADAM_H

#include "model/base/real.h"
#include "model/training/trainer.h"

/* Step number `step`, from 1, with learning rate `rate`, on `count` numbers; g = gradient * scale:
 *   first = beta1 first + (1 - beta1) g;  second = beta2 second + (1 - beta2) g^2
 *   value -= rate * first/(1 - beta1^step) / (sqrt(second/(1 - beta2^step)) + epsilon) */
void adam_step(real *value, real *first, real *second, const real *gradient, real scale,
               double rate, int step, const TrainOptions *options, long count);

#endif
