/* What a training run says on the way: the line of progress, and the log with a line a step. */
#ifndef HEADSCOPE_APP_TRAINING_TRAINING_LOG_H
#define HEADSCOPE_APP_TRAINING_TRAINING_LOG_H

#include <stdio.h>

#include "app/training/training_call.h"

typedef struct TrainingLog {
    const TrainingCall *call;
    const TrainOptions *options; /* of the run, which may be a resumed one */
    FILE *file;                  /* CSV; NULL: none */
    bool terminal;               /* progress is one line that is drawn anew */
    bool due;                    /* the line of progress, at the step that was counted last */
    double begun;                /* seconds */
    int begun_step;              /* of this sitting */
    long tokens;                 /* since the last report */
    double reported;             /* seconds */
    double rate;                 /* tokens a second */
} TrainingLog;

/* Opens the file that the call asks for; *error names it. call and options must outlive the log. */
bool training_log_open(TrainingLog *log, const TrainingCall *call, const TrainOptions *options,
                       Error *error);
void training_log_close(TrainingLog *log); /* {0} is fine */

/* Starts the clock at step `step`. */
void training_log_begin(TrainingLog *log, int step);
double training_log_seconds(const TrainingLog *log);

/* Counts a step's tokens, before its test, whose time is no part of the rate. */
void training_log_count(TrainingLog *log, const TrainReport *report, bool tested);

/* Prints and writes the step that was counted. `exact` is the last test's share, below 0 for none;
 * fails if the file cannot be written. */
bool training_log_step(TrainingLog *log, int step, const TrainReport *report, bool tested,
                       double exact, Error *error);

#endif
