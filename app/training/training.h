/* Runs one training: trains a model, reports progress, saves the run and the model. */
#ifndef HEADSCOPE_APP_TRAINING_TRAINING_H
#define HEADSCOPE_APP_TRAINING_TRAINING_H

#include "app/training/training_call.h"

/* Default training of a task: all processors, a test every 250 steps, not saved. */
TrainingCall training_call_default(const Task *task);

/* True if the run can start and its files can be written: no interrupted run would be lost, no
 * other process trains to this path, and every file name is usable. training_run checks the same;
 * this is for checking before a window opens. */
bool training_possible(const TrainingCall *call, Error *error);

/* Trains until the end, or until *stop or the observer ends it. On success the model is at `path`,
 * its snapshots at snapshots_path(path), and `path`.run is removed. If stopped or failed,
 * `path`.run (and `path`.run.snapshots) holds the last good state, from which --resume continues.
 * Both return false; *stopped (may be NULL) is true if the run was stopped and saved. */
bool training_run(const TrainingCall *call, bool *stopped, Error *error);

/* The model of the run, with config, vocabularies, task and command, but without parameters. Free
 * it with model_free. */
bool training_model(Model *model, const TrainingCall *call, Error *error);

/* Prints the run's number of parameters, its memory by parts and in total, and how many threads
 * help. Allocates nothing of it. */
bool training_print_size(const TrainingCall *call, Error *error);

#endif
