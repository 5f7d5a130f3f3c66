/* One training run: its model, its trainer, what it says and saves on the way. */
#ifndef HEADSCOPE_APP_TRAINING_TRAINING_H
#define HEADSCOPE_APP_TRAINING_TRAINING_H

#include "app/training/training_call.h"

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
