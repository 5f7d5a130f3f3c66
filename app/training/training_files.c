#include "app/training/training_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/files/beside.h"
#include "data/files/output.h"
#include "data/models/snapshots.h"

static char *with_ending(const char *path, const char *ending) {
    size_t size = strlen(path) + strlen(ending) + 1;
    char *whole = malloc(size);
    if (whole) snprintf(whole, size, "%s%s", path, ending);
    return whole;
}

/* Symbolic links are resolved, so that two runs to the same file by different names meet. */
static char *beside_model(const char *model_path, const char *ending) {
    char *target = beside_target(model_path);
    char *path = target ? with_ending(target, ending) : NULL;
    free(target);
    return path;
}

char *training_files_run(const char *model_path) {
    return beside_model(model_path, ".run");
}

/* A log at the path of the model would be lost at the end, one at the path of the run at once. */
static bool log_is_separate(const TrainingFiles *files, const TrainingCall *call, Error *error) {
    char *snapshots = snapshots_path(call->path);
    const char *const others[] = {call->path, files->run, files->snapshots, snapshots};
    bool separate = true;
    for (size_t i = 0; call->log_path && i < sizeof others / sizeof others[0]; i++)
        if (others[i] && beside_is_same(call->log_path, others[i]))
            separate = error_usage(error, "--log %s: the training writes another file there",
                                   call->log_path);
    free(snapshots);
    return separate;
}

bool training_files_snapshots_possible(const char *model_path, int planned, Error *error) {
    if (planned == 0 || !model_path) return true;
    char *path = snapshots_path(model_path);
    bool possible = path ? output_possible(path, error) : error_set(error, "out of memory");
    if (possible && output_is_device(path))
        possible = error_set(error, "%s: is a device or a pipe; snapshots need a file", path);
    free(path);
    return possible;
}

static bool places_possible(const TrainingFiles *files, const TrainingCall *call, Error *error) {
    if (output_is_device(call->path))
        return error_set(error,
                         "%s: is a device or a pipe; train needs a file, beside which it keeps "
                         "its run",
                         call->path);
    return log_is_separate(files, call, error) && output_possible(call->path, error) &&
           output_possible(files->run, error) &&
           (call->snapshots == 0 || output_possible(files->snapshots, error)) &&
           training_files_snapshots_possible(call->path, call->snapshots, error);
}

/* A new run must not replace one that can be resumed. */
static bool no_run_is_lost(const TrainingFiles *files, const TrainingCall *call, Error *error) {
    Model model;
    RunState state;
    Error why = {0};
    if (call->resume || access(files->run, F_OK) != 0) return true;
    if (!run_state_open(&model, &state, files->run, &why))
        return error_set(
            error, "%.400s; this training would write its run to that file: move or remove it",
            why.text);
    error_set(error, "%s is an interrupted run at step %d: --resume, or remove it", files->run,
              state.step);
    run_state_free(&state);
    model_free(&model);
    return false;
}

bool training_files_claim(TrainingFiles *files, const TrainingCall *call, Error *error) {
    *files = (TrainingFiles){0};
    if (!call->path) return true;
    files->run = training_files_run(call->path);
    files->snapshots = beside_model(call->path, ".run.snapshots");
    if (!files->run || !files->snapshots) return error_set(error, "out of memory");
    return places_possible(files, call, error) && lock_take(&files->lock, files->run, error) &&
           no_run_is_lost(files, call, error);
}

void training_files_free(TrainingFiles *files) {
    lock_release(&files->lock);
    free(files->run);
    free(files->snapshots);
    *files = (TrainingFiles){0};
}

void training_files_remove(const TrainingFiles *files) {
    if (!files->run) return;
    unlink(files->snapshots);
    unlink(files->run);
}
