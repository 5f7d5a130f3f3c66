/* The files of a training besides its model: the interrupted run, its lock, its snapshots. */
#ifndef HEADSCOPE_APP_TRAINING_TRAINING_FILES_H
#define HEADSCOPE_APP_TRAINING_TRAINING_FILES_H

#include "app/training/training_call.h"
#include "data/files/lock.h"

/* All NULL for a training that saves nothing. */
typedef struct TrainingFiles {
    char *run;       /* "MODEL.run" */
    char *snapshots; /* "MODEL.run.snapshots": those of the interrupted run */
    Lock lock;       /* of `run` */
} TrainingFiles;

/* Names the files and takes the lock. Fails if the model, its run, its snapshots or its log cannot
 * be written, if two of them are the same file, if another process trains to this path, or if a new
 * training would replace an interrupted one. Leaves nothing but MODEL.run.lock, until
 * training_files_free, which must be called where it fails, too. */
bool training_files_claim(TrainingFiles *files, const TrainingCall *call, Error *error);

/* Gives the lock back; the files stay. */
void training_files_free(TrainingFiles *files);

/* Removes run and snapshots: the model is saved, or the run has not begun. */
void training_files_remove(const TrainingFiles *files);

/* Whether the snapshots of the model can be written when the run ends; true without any planned,
 * or without a model. */
bool training_files_snapshots_possible(const char *model_path, int planned, Error *error);

/* "MODEL.run", beside what a symbolic link leads to: a new string. NULL for lack of memory, or for
 * links in a circle. */
char *training_files_run(const char *model_path);

#endif
