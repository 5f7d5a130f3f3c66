/* One training run: its model, its trainer, what it says and saves on the way. */
#ifndef HEADSCOPE_APP_TRAINING_TRAINING_H
#define HEADSCOPE_APP_TRAINING_TRAINING_H

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

/* The task trained with its defaults, on all processors, with a test every 250 steps; not saved. */
TrainingCall training_call_default(const Task *task);

/* Whether such a run may begin, and what it writes at its end can be written: no interrupted run
 * stands in the way, no other process trains to this path, and every name is one that a file can
 * have. training_run asks the same before it begins; this is for those who would open a window. */
bool training_possible(const TrainingCall *call, Error *error);

/* Trains to the end, or until *stop or the observer ends it. On success the model is at `path`, its
 * snapshots at snapshots_path(path), and `path`.run is gone; when stopped or failed, `path`.run
 * (and `path`.run.snapshots) holds the last good state and --resume goes on with it. *stopped (may
 * be NULL) tells a run that was stopped, and saved, from one that failed; both return false. */
bool training_run(const TrainingCall *call, bool *stopped, Error *error);

/* The model that such a run trains, with config, vocabularies, task and command, but without
 * parameters. Free it with model_free. */
bool training_model(Model *model, const TrainingCall *call, Error *error);

/* Prints the parameters of such a run, the bytes that it takes, in parts and in all, and how many
 * threads help it, computed from the call alone: nothing is made. */
bool training_print_size(const TrainingCall *call, Error *error);

#endif
