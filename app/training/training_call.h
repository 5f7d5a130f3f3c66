/* The parameters of a training run, and the progress it reports. */
#ifndef HEADSCOPE_APP_TRAINING_TRAINING_CALL_H
#define HEADSCOPE_APP_TRAINING_TRAINING_CALL_H

#include <signal.h>

#include "data/models/checkpoint.h"
#include "data/tasks/task.h"

/* The progress of a run after a step, or before the first one. */
typedef struct TrainingProgress {
    int step, steps; /* done, and of the whole run */
    double loss;     /* of the step's batch, in nats; NAN before the first step */
    double norm;     /* of its gradient, before clipping; NAN before the first */
    double rate;     /* learning rate of the step; 0 at step 0 */
    double exact;    /* share of held-out outputs that are right; below 0: not tested now */
    double seconds;  /* since this start or resumption */
    double tokens_per_second; /* recent; 0: not known yet */
} TrainingProgress;

/* Observes a run; called by the training thread. */
typedef struct TrainingObserver {
    void *context;
    /* Called once before the first step, then after each. The model may be read until it returns.
     * Returning false stops the run as *stop does. */
    bool (*step)(void *context, const TrainingProgress *progress, const Model *model);
} TrainingObserver;

/* A run as the command line requests it. */
typedef struct TrainingCall {
    const Task *task;
    Config config;
    TrainOptions options;
    const char *path; /* of the model; an interrupted run is saved to `path`.run. NULL: nothing is
                         saved */
    const char *log_path; /* CSV; NULL: none */
    const char *command;  /* stored in the model */
    int threads;
    int every;     /* steps between tests on held-out examples, each followed by a save */
    int snapshots; /* how many weights to keep beside the model (data/models/snapshots.h); 0: none
                    */
    bool resume;
    bool quiet;                        /* print nothing to standard error */
    const volatile sig_atomic_t *stop; /* not 0: end after this step and save; may be NULL */
    const TrainingObserver *observer;  /* may be NULL */
} TrainingCall;

#endif
