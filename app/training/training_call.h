/* What a training run is asked, and what it tells on the way. */
#ifndef HEADSCOPE_APP_TRAINING_TRAINING_CALL_H
#define HEADSCOPE_APP_TRAINING_TRAINING_CALL_H

#include <signal.h>

#include "data/models/checkpoint.h"
#include "data/tasks/task.h"

/* How a run stands after a step, or before the first one. */
typedef struct TrainingProgress {
    int step, steps; /* done, and of the whole run */
    double loss;     /* of the step's batch, in nats; NAN before the first */
    double norm;     /* of its gradient, before clipping; NAN before the first */
    double rate;     /* the learning rate it was done at; 0 at step 0 */
    double exact;    /* share of held-out outputs that are right; below 0: not tested now */
    double seconds;  /* of this sitting */
    double tokens_per_second; /* lately; 0: not known yet */
} TrainingProgress;

/* Told of a run as it goes, by the thread that trains. */
typedef struct TrainingObserver {
    void *context;
    /* Called once before the first step of this sitting, then after each. The model may be read
     * until it returns. Returning false stops the run as *stop does. */
    bool (*step)(void *context, const TrainingProgress *progress, const Model *model);
} TrainingObserver;

/* What is asked for on the command line. */
typedef struct TrainingCall {
    const Task *task;
    Config config;
    TrainOptions options;
    const char *path;     /* of the model; the interrupted run stands in `path`.run beside it. NULL:
                             nothing is saved */
    const char *log_path; /* CSV; NULL: none */
    const char *command;  /* kept in the model */
    int threads;
    int every;     /* steps between two tests on held-out examples, each followed by a save */
    int snapshots; /* how many weights to keep beside the model (data/models/snapshots.h); 0: none
                    */
    bool resume;
    bool quiet;                        /* say nothing on standard error */
    const volatile sig_atomic_t *stop; /* not 0: end after this step and save; may be NULL */
    const TrainingObserver *observer;  /* may be NULL */
} TrainingCall;

#endif
