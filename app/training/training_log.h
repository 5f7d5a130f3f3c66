/* The progress line of a run on standard error, and its CSV log with a line per step. */
#ifndef HEADSCOPE_APP_TRAINING_TRAINING_LOG_H
#define HEADSCOPE_APP_TRAINING_TRAINING_LOG_H

#include <stdio.h>

#include "app/training/training_call.h"

typedef struct TrainingLog {
    const TrainingCall *call;
    const TrainOptions *options; /* of the run, which may be a resumed one */
    FILE *file;                  /* CSV; NULL: none */
    bool terminal;               /* the progress line is overwritten in place */
    bool due;                    /* the progress line is due at the last counted step */
    double begun;                /* seconds */
    int begun_step;              /* the first step since the start or resumption */
    long tokens;                 /* since the last report */
    double reported;             /* seconds */
    double rate;                 /* tokens a second */
} TrainingLog;

/* Opens the log file of the call; *error names it. call and options must outlive the log. */
bool training_log_open(TrainingLog *log, const TrainingCall *call, const TrainOptions *options,
                       Error *error);
void training_log_close(TrainingLog *log); /* {0} is fine */

/* Starts the clock at step `step`. */
void training_log_begin(TrainingLog *log, int step);
double training_log_seconds(const TrainingLog *log);

/* Counts a step's tokens. Call it before the test, whose time does not count. */
void training_log_count(TrainingLog *log, const TrainReport *report, bool tested);

/* Prints and logs the counted step. `exact` is the result of the last test, below 0 if there is
 * none. False if the file cannot be written. */
bool training_log_step(TrainingLog *log, int step, const TrainReport *report, bool tested,
                       double exact, Error *error);

#endif
