/* Training: one step takes a batch to better parameters. */
#ifndef HEADSCOPE_MODEL_TRAINING_TRAINER_H
#define HEADSCOPE_MODEL_TRAINING_TRAINER_H

#include <stdint.h>

#include "model/network/batch.h"
#include "model/network/config.h"
#include "model/network/params.h"

/* All that decides the result of a run besides the config and the data. */
typedef struct TrainOptions {
    uint64_t seed;
    int steps;            /* optimiser steps of the whole run */
    int batch;            /* examples a step */
    double learning_rate; /* at its peak */
    int warmup;           /* steps of linear rise; then half a cosine down to 0 at `steps` */
    double clip;          /* largest norm of the gradient; 0: no clipping */
    double label_smoothing;
    double beta1, beta2, epsilon; /* Adam */
    int slices;                   /* of a batch, 1 to TRAIN_SLICES_MAX; 0: what train_slices says */
} TrainOptions;

enum {
    TRAIN_SLICES_MIN = 4,
    TRAIN_SLICES_MAX = 16,
    TRAIN_SLICE_EXAMPLES_MIN = 8,
    TRAIN_GRADIENTS_MAX = 1 << 27, /* numbers: 512 MB of floats */
};

/* The slices that a step cuts its batch into, and so the threads that help it: options->slices; if
 * that is 0, four, or 8 or 16 where each slice then has at least TRAIN_SLICE_EXAMPLES_MIN examples
 * and the gradients of all slices, `params` numbers each, keep within TRAIN_GRADIENTS_MAX. Powers
 * of two share out evenly over 2, 4 and 8 threads; more than 16 would hold more gradients, and
 * spend more of a step on summing them, than most networks here are worth. The number decides which
 * random numbers dropout takes and the order of sums, so it is a property of the run: it must never
 * depend on the machine. */
int train_slices(const TrainOptions *options, long params);

/* Batch 64, warm-up 200, clip 1, label smoothing 0.1, Adam 0.9 0.98 1e-9 (Vaswani 2017 5.3); steps
 * and learning rate are 0: the task sets them. Slices are 0. */
TrainOptions train_options_default(void);

/* Ranges of the options; ERROR_USAGE names the first that is out. */
bool train_options_check(const TrainOptions *options, Error *error);

/* The learning rate of step `step`, from 1. */
double train_rate(const TrainOptions *options, int step);

/* Adam (Kingma and Ba 2015, algorithm 1), as torch.optim.Adam computes it: step number `step`, from
 * 1, with learning rate `rate`, on `count` numbers; g = gradient * scale:
 *   first = beta1 first + (1 - beta1) g;  second = beta2 second + (1 - beta2) g^2
 *   value -= rate * first/(1 - beta1^step) / (sqrt(second/(1 - beta2^step)) + epsilon) */
void train_adam_step(real *value, real *first, real *second, const real *gradient, real scale,
                     double rate, int step, const TrainOptions *options, long count);

/* Fills *batch with the examples of step `step`, from 1. */
typedef bool TrainSource(void *context, int step, Batch *batch, Error *error);

typedef struct TrainReport {
    double loss; /* mean over the target tokens of the batch, in nats */
    double norm; /* of the gradient, before clipping */
    long tokens; /* target tokens of the batch */
} TrainReport;

typedef struct Trainer Trainer;

/* A trainer at step 0 that improves `params` in place, with moments of its own. config, params and
 * context must outlive it. Of `threads`, no more are started than there are slices. NULL with
 * *error for lack of memory or threads. */
Trainer *trainer_make(const Config *config, Params *params, const TrainOptions *options,
                      int threads, TrainSource *source, void *context, Error *error);
void trainer_free(Trainer *trainer); /* NULL is fine */

/* One step. The batch is cut into train_slices slices of examples of like length, whatever the
 * number of threads; each goes forward and backward on its own, and their gradients are added in a
 * fixed order: the result does not depend on the threads. If the loss or the gradient is not
 * finite, returns false and leaves the parameters as they were. */
bool trainer_step(Trainer *trainer, TrainReport *report, Error *error);

/* Steps done, and Adam's moments, [params.count] each (owned by the trainer), for saving. */
int trainer_step_count(const Trainer *trainer);
real *const *trainer_moments(const Trainer *trainer);

/* Continues from a saved run: copies the moments. */
void trainer_resume(Trainer *trainer, int step, real *const moments[2]);

/* Bytes that a trainer with so many threads takes for batches up to the config's longest. */
typedef struct TrainerBytes {
    long parameters; /* the caller's own */
    long gradients;  /* one a slice */
    long moments;
    long workspace; /* activations and their gradients, of one slice for each thread */
} TrainerBytes;
TrainerBytes trainer_bytes_of(const Config *config, const TrainOptions *options, int threads);

/* Their sum. */
long trainer_bytes(const Config *config, const TrainOptions *options, int threads);

#endif
