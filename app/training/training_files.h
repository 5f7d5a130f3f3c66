/* The files of a run besides its model: the interrupted run, its lock and its snapshots. */
#ifndef HEADSCOPE_APP_TRAINING_TRAINING_FILES_H
#define HEADSCOPE_APP_TRAINING_TRAINING_FILES_H

#include "app/training/training_call.h"
#include "data/files/lock.h"

/* All NULL for a run that saves nothing. */
typedef struct TrainingFiles {
    char *run;       /* "MODEL.run" */
    char *snapshots; /* "MODEL.run.snapshots", of the interrupted run */
    Lock lock;       /* of `run` */
} TrainingFiles;

/* Names the files and takes the lock. Fails if the model, its run, its snapshots or its log cannot
 * be written, if two of them are the same file, if another process trains to this path, or if a new
 * run would replace an interrupted one. Creates only MODEL.run.lock. Call training_files_free also
 * after a failure. */
bool training_files_claim(TrainingFiles *files, const TrainingCall *call, Error *error);

/* Releases the lock; the files stay. */
void training_files_free(TrainingFiles *files);

/* Removes the run and its snapshots: the model is saved, or the run has not started. */
void training_files_remove(const TrainingFiles *files);

/* True if the model's snapshots can be written when the run ends, if none are planned, or without a
 * model. */
bool training_files_snapshots_possible(const char *model_path, int planned, Error *error);

/* Returns "MODEL.run", symbolic links resolved, as a new string. NULL for lack of memory or a
 * circle of links. */
char *training_files_run(const char *model_path);

#endif
