/* Training: batches in, better parameters out. */
#ifndef HEADSCOPE_MODEL_TRAINER_H
#define HEADSCOPE_MODEL_TRAINER_H

#include <stdint.h>

#include "model/error.h"

/* All that decides the result of a run besides the config and the data. */
typedef struct TrainOptions {
    uint64_t seed;
    int steps;           /* optimiser steps of the whole run */
    int batch;           /* examples a step */
    float learning_rate; /* at its peak */
    int warmup;          /* steps of linear rise; then a cosine down to 0 at `steps` */
    float clip;          /* largest norm of the gradient; 0: no clipping */
    float label_smoothing;
    float beta1, beta2, epsilon; /* Adam (Kingma and Ba 2015) */
} TrainOptions;

#endif
