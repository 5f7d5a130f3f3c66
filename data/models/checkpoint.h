/* Models and interrupted runs as files. Format: docs/files.md. */
#ifndef HEADSCOPE_DATA_MODELS_CHECKPOINT_H
#define HEADSCOPE_DATA_MODELS_CHECKPOINT_H

#include <stddef.h>

#include "data/tasks/vocab.h"
#include "model/network/config.h"
#include "model/network/params.h"
#include "model/training/trainer.h"

/* A network with all that is needed to use it. */
typedef struct Model {
    Config config;
    Params params;
    Vocab source_vocab, target_vocab;
    char task[32];      /* empty for a model trained elsewhere */
    char command[1024]; /* the command that trained it; may be empty */
    char hash[65];      /* SHA-256 of the file it came from, hexadecimal; empty if never saved */
} Model;

void model_free(Model *model);

/* Reads a model from a safetensors file. Strict: every tensor of params_place with its shape, and
 * none besides; every number finite; the config passes config_check; the vocabularies have the
 * config's sizes; a bias that the config turns off is zero (or not in the file). f32, f16, bf16 and
 * f64 are read. *error names file, tensor and rule. Nothing is left allocated on failure. */
bool model_open(Model *model, const char *path, Error *error);

/* The same from memory, without a hash; `name` stands in messages. */
bool model_from_bytes(Model *model, const char *name, const void *bytes, size_t size, Error *error);

/* Checks the values of one parameter: all finite, and zero where the config turns a bias off. */
bool model_check_param(const ParamInfo *info, const real *values, Error *error);

/* Writes it beside `path` and renames; an earlier file stays whole until then. Sets model->hash. */
bool model_save(Model *model, const char *path, Error *error);

/* An interrupted run: what a further step needs besides the model. */
typedef struct RunState {
    TrainOptions options;
    int step;         /* steps done */
    real *moments[2]; /* [params.count] each: Adam's first and second, in the block's order */
} RunState;

void run_state_free(RunState *state);

/* Saves the run in one file, weights and state together, so that a kill cannot separate them. */
bool run_state_save(Model *model, const RunState *state, const char *path, Error *error);
bool run_state_open(Model *model, RunState *state, const char *path, Error *error);

#endif
