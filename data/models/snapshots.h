/* The weights of one run at several steps, in one file beside the model. Format: docs/files.md. */
#ifndef HEADSCOPE_DATA_MODELS_SNAPSHOTS_H
#define HEADSCOPE_DATA_MODELS_SNAPSHOTS_H

#include "data/models/checkpoint.h"

enum { SNAPSHOTS_MIN = 2, SNAPSHOTS_MAX = 999 };

typedef struct SnapshotInfo {
    int step;     /* steps done: 0 is the untrained network */
    double loss;  /* of that step's batch, in nats; NAN at step 0, which had none */
    double exact; /* share of held-out examples whose whole output is right, 0 to 1 */
} SnapshotInfo;

/* In order of their steps. {0} is none. */
typedef struct Snapshots {
    int planned; /* how many a whole run takes */
    int count;   /* how many there are, at most `planned` */
    TrainOptions options;
    long params_count;
    SnapshotInfo *infos; /* [planned], owned */
    real *params;        /* [planned,params_count], owned: blocks as params_make lays them out */
} Snapshots;

/* "x.safetensors" -> "x.snapshots.safetensors"; any other path gets the whole ending appended. A
 * new string (free it), NULL for lack of memory. */
char *snapshots_path(const char *model_path);

/* The step of snapshot `index` of `planned` in a run of `steps`: steps * (index / (planned-1))^2,
 * rounded, but at least `index`, so that the early steps, in which most changes, are the denser.
 * The first is 0, the last `steps`; no two are the same while planned-1 <= steps. */
int snapshots_step(int index, int planned, int steps);

/* Room for `planned` snapshots of a network of this config, trained so. ERROR_USAGE for fewer than
 * two, more than SNAPSHOTS_MAX, or more than the run has steps to take them at. */
bool snapshots_make(Snapshots *snapshots, int planned, const Config *config,
                    const TrainOptions *options, Error *error);
void snapshots_free(Snapshots *snapshots);

/* True if a snapshot is to be taken at this step. */
bool snapshots_due(const Snapshots *snapshots, int step);

/* Copies the parameters as the next snapshot; there must be one left to take. */
void snapshots_add(Snapshots *snapshots, SnapshotInfo info, const Params *params);

/* Copies snapshot `index` into parameters placed by params_make with the same config. */
void snapshots_params(const Snapshots *snapshots, int index, Params *params);

/* Writes the file whole (data/files/output.h), with the model's config, vocabularies, task, command
 * and hash. The hash is empty for a run that still goes on. */
bool snapshots_save(const Snapshots *snapshots, const Model *model, const char *path, Error *error);

/* Reads the snapshots that belong to `model`: the file must name its hash, its config and its
 * vocabularies. Strict: every snapshot's tensor and info, and none besides; steps that rise; every
 * number finite; biases that the config turns off zero. ERROR_FAILED names file and rule, and
 * nothing is left allocated. Room is taken for all that are planned, but none for a file that does
 * not hold what it lists. */
bool snapshots_open(Snapshots *snapshots, const char *path, const Model *model, Error *error);

/* The same from memory; `name` stands in messages. */
bool snapshots_from_bytes(Snapshots *snapshots, const char *name, const void *bytes, size_t size,
                          const Model *model, Error *error);

/* For going on with a run at `step`: drops the snapshots after it, which the run will take again.
 * ERROR_FAILED if those up to it are not the ones that a run with these options took. */
bool snapshots_resume(Snapshots *snapshots, const TrainOptions *options, int step, Error *error);

#endif
