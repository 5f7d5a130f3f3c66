/* Training: each step updates the parameters from one batch. */
#ifndef HEADSCOPE_MODEL_TRAINING_TRAINER_H
#define HEADSCOPE_MODEL_TRAINING_TRAINER_H

#include <stdint.h>

#include "model/network/batch.h"
#include "model/network/config.h"
#include "model/network/params.h"

/* Everything that determines the result of a run, besides the config and the data. */
typedef struct TrainOptions {
    uint64_t seed;
    int steps;            /* optimiser steps of the whole run */
    int batch;            /* examples per step */
    double learning_rate; /* peak */
    int warmup;           /* steps of linear warm-up; then half a cosine down to 0 at `steps` */
    double clip;          /* maximum norm of the gradient; 0: no clipping */
    double label_smoothing;
    double beta1, beta2, epsilon; /* Adam */
    int slices;                   /* of a batch, 1 to TRAIN_SLICES_MAX; 0: train_slices chooses */
} TrainOptions;

enum {
    TRAIN_SLICES_MIN = 4,
    TRAIN_SLICES_MAX = 16,
    TRAIN_SLICE_EXAMPLES_MIN = 8,
    TRAIN_GRADIENTS_MAX = 1 << 27, /* numbers in all gradients: 512 MB of floats */
};

/* Returns how many slices a step cuts its batch into, which is also the maximum number of threads:
 * options->slices; if that is 0, four, or 8 or 16 if each slice then has at least
 * TRAIN_SLICE_EXAMPLES_MIN examples and the gradients of all slices, `params` numbers each, stay
 * within TRAIN_GRADIENTS_MAX. Powers of two divide evenly over 2, 4 and 8 threads; more than 16
 * would spend too much memory on gradients and too much time on summing them. The number determines
 * the dropout masks and the order of sums, so it must never depend on the machine. */
int train_slices(const TrainOptions *options, long params);

/* Batch 64, warm-up 200, clip 1, label smoothing 0.1, Adam 0.9 0.98 1e-9 (Vaswani 2017 5.3); steps
 * and learning rate are 0: the task sets them. Slices: 0. */
TrainOptions train_options_default(void);

/* False with ERROR_USAGE if an option is out of range. */
bool train_options_check(const TrainOptions *options, Error *error);

/* The learning rate of step `step`, from 1. */
double train_rate(const TrainOptions *options, int step);

/* Adam (Kingma and Ba 2015, algorithm 1), as torch.optim.Adam computes it: step number `step`, from
 * 1, with learning rate `rate`, on `count` numbers; g = gradient * scale:
 *   first = beta1 first + (1 - beta1) g;  second = beta2 second + (1 - beta2) g^2
 *   value -= rate * first/(1 - beta1^step) / (sqrt(second/(1 - beta2^step)) + epsilon) */
void train_adam_step(real *value, real *first, real *second, const real *gradient, real scale,
                     double rate, int step, const TrainOptions *options, long count);

/* Fills *batch with the examples of step `step`, counted from 1. */
typedef bool TrainSource(void *context, int step, Batch *batch, Error *error);

typedef struct TrainReport {
    double loss; /* mean over the target tokens of the batch, in nats */
    double norm; /* of the gradient, before clipping */
    long tokens; /* target tokens of the batch */
} TrainReport;

typedef struct Trainer Trainer;

/* Returns a trainer at step 0 that updates `params` in place. config, params and context must
 * outlive it. Starts at most as many threads as there are slices. NULL with *error for lack of
 * memory or threads. */
Trainer *trainer_make(const Config *config, Params *params, const TrainOptions *options,
                      int threads, TrainSource *source, void *context, Error *error);
void trainer_free(Trainer *trainer); /* NULL is fine */

/* Runs one step. The batch is cut into train_slices slices of examples of similar length,
 * independent of the number of threads; each slice runs forward and backward, and the gradients are
 * added in a fixed order, so the result does not depend on the threads. If the loss or the gradient
 * is not finite, returns false and leaves the parameters unchanged. */
bool trainer_step(Trainer *trainer, TrainReport *report, Error *error);

/* Steps done, and Adam's moments, [params.count] each (owned by the trainer), for saving. */
int trainer_step_count(const Trainer *trainer);
real *const *trainer_moments(const Trainer *trainer);

/* Continues from a saved run: copies the moments. */
void trainer_resume(Trainer *trainer, int step, real *const moments[2]);

/* The bytes that a trainer with `threads` threads needs for batches of the config's maximum
 * lengths. */
typedef struct TrainerBytes {
    long parameters; /* the caller's own */
    long gradients;  /* one per slice */
    long moments;
    long workspace; /* activations and their gradients: one slice per thread */
} TrainerBytes;
TrainerBytes trainer_bytes_of(const Config *config, const TrainOptions *options, int threads);

/* Their sum. */
long trainer_bytes(const Config *config, const TrainOptions *options, int threads);

#endif
