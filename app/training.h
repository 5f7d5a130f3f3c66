/* One training run: its model, its trainer, what it says and saves on the way. */
#ifndef HEADSCOPE_APP_TRAINING_H
#define HEADSCOPE_APP_TRAINING_H

#include <signal.h>

#include "data/checkpoint.h"
#include "data/task.h"

/* What is asked for on the command line. */
typedef struct TrainingCall {
    const Task *task;
    Config config;
    TrainOptions options;
    const char *path;     /* of the model; the interrupted run stands in `path`.run beside it */
    const char *log_path; /* CSV; NULL: none */
    const char *command;  /* kept in the model */
    int threads;
    int every; /* steps between two tests on held-out examples, each followed by a save */
    bool resume;
    const volatile sig_atomic_t *stop; /* not 0: end after this step and save */
} TrainingCall;

/* Trains to the end, or until *stop. On success the model is at `path` and `path`.run is gone; when
 * stopped or failed, `path`.run holds the last good state and --resume goes on with it. */
bool training_run(const TrainingCall *call, Error *error);

/* Prints parameters and bytes of such a run, without doing it. */
bool training_print_size(const TrainingCall *call, Error *error);

#endif
