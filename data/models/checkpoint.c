#include "data/models/checkpoint.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/arrays/safetensors.h"
#include "data/arrays/safetensors_save.h"
#include "data/models/config_json.h"

#define FORMAT_PREFIX    "headscope-"
#define SNAPSHOTS_PREFIX "headscope-snapshots-" /* data/models/snapshots.c */
enum { FORMAT_VERSION = 1, MAX_TEXTS = 8 };

static const char *const moment_names[2] = {"adam.first_moment", "adam.second_moment"};

void model_free(Model *model) {
    params_free(&model->params);
    vocab_free(&model->source_vocab);
    vocab_free(&model->target_vocab);
    *model = (Model){0};
}

void run_state_free(RunState *state) {
    free(state->moments[0]);
    free(state->moments[1]);
    *state = (RunState){0};
}

/* --- reading ---------------------------------------------------------------------------------- */

/* Digits only, up to nine of them; sscanf would take spaces, signs and what follows. */
static bool whole_number(const char *text, int *number) {
    size_t digits = text ? strspn(text, "0123456789") : 0;
    if (digits < 1 || digits > 9 || text[digits]) return false;
    *number = atoi(text);
    return true;
}

static bool check_format(const Arrays *file, bool wants_run, Error *error) {
    const char *path = file->file_name;
    const char *format = arrays_find_text(file, "format");
    int version;
    if (format && strncmp(format, SNAPSHOTS_PREFIX, sizeof SNAPSHOTS_PREFIX - 1) == 0)
        return error_set(error, "%s: the snapshots of a run, not a model; name the model beside it",
                         path);
    size_t prefix = sizeof FORMAT_PREFIX - 1;
    if (!format || strncmp(format, FORMAT_PREFIX, prefix) != 0 ||
        !whole_number(format + prefix, &version) || version < 1)
        return error_set(error,
                         "%s: no headscope model: its metadata lacks format, config and the "
                         "vocabularies (docs/files.md says how to write them)",
                         path);
    if (version > FORMAT_VERSION)
        return error_set(error, "%s: written by a newer headscope (format %d; this one reads %d)",
                         path, version, FORMAT_VERSION);
    bool is_run = arrays_find_text(file, "step") != NULL;
    if (is_run && !wants_run)
        return error_set(
            error, "%s: an interrupted run, not a model; go on with it by train --resume", path);
    if (!is_run && wants_run) return error_set(error, "%s: a model, not an interrupted run", path);
    return true;
}

static void copy_text(char *to, size_t size, const Arrays *file, const char *key) {
    const char *text = arrays_find_text(file, key);
    snprintf(to, size, "%s", text ? text : "");
}

static bool read_metadata(Model *model, const Arrays *file, Error *error) {
    const char *config = arrays_find_text(file, "config");
    if (!config) return error_set(error, "config is missing in the metadata");
    if (!config_from_json(&model->config, config, error) ||
        !vocab_from_json(&model->source_vocab, arrays_find_text(file, "source_vocab"),
                         "source_vocab", error) ||
        !vocab_from_json(&model->target_vocab, arrays_find_text(file, "target_vocab"),
                         "target_vocab", error))
        return false;
    model->config.source_vocab = model->source_vocab.size;
    model->config.target_vocab = model->target_vocab.size;
    copy_text(model->task, sizeof model->task, file, "task");
    copy_text(model->command, sizeof model->command, file, "command");
    if (config_check(&model->config, error)) return true;
    if (error) error->kind = ERROR_FAILED;
    return error_prefix(error, "config");
}

/* The walk that reads, and the walk that checks before memory is taken. */
typedef struct ReadWalk {
    const Arrays *file;
    Error *error;
    int used; /* tensors of the file that the list names */
} ReadWalk;

static bool has_shape(const Array *tensor, const ParamInfo *info) {
    return tensor->rank == (info->cols ? 2 : 1) && tensor->shape[0] == info->rows &&
           (!info->cols || tensor->shape[1] == info->cols);
}

static bool visit_check(void *context, const ParamInfo *info, real **place) {
    (void)place;
    ReadWalk *walk = context;
    const Array *tensor = arrays_find_numbers(walk->file, info->name);
    if (!tensor && info->held_at_zero) return true;
    if (!tensor) return error_set(walk->error, "%s: missing", info->name);
    walk->used++;
    if (has_shape(tensor, info)) return true;
    return error_set(walk->error, "%s: its shape is not the config's, which is [%d%s%.0d]",
                     info->name, info->rows, info->cols ? "," : "", info->cols);
}

bool model_check_param(const ParamInfo *info, const real *values, Error *error) {
    long count = param_size(info);
    for (long i = 0; i < count; i++) {
        if (!isfinite(values[i]))
            return error_set(error, "%s: value %ld is not a finite number", info->name, i);
        if (info->held_at_zero && values[i] != 0)
            return error_set(error, "%s: not zero, but the config turns this bias off", info->name);
    }
    return true;
}

static bool visit_read(void *context, const ParamInfo *info, real **place) {
    ReadWalk *walk = context;
    const Array *tensor = arrays_find_numbers(walk->file, info->name);
    if (!tensor) return true;
    if (!array_read_real(tensor, *place))
        return error_set(walk->error, "%s: whole numbers instead of weights", info->name);
    return model_check_param(info, *place, walk->error);
}

typedef struct NameWalk {
    const char *name;
    bool found;
} NameWalk;

static bool visit_name(void *context, const ParamInfo *info, real **place) {
    (void)place;
    NameWalk *walk = context;
    walk->found = walk->found || strcmp(walk->name, info->name) == 0;
    return !walk->found;
}

static const char *unknown_tensor(const Arrays *file, const Params *params, const Config *config,
                                  bool is_run) {
    Params unplaced = *params;
    for (int i = 0; i < file->count; i++) {
        NameWalk walk = {.name = file->arrays[i].name};
        bool moment = is_run && (strcmp(walk.name, moment_names[0]) == 0 ||
                                 strcmp(walk.name, moment_names[1]) == 0);
        params_place(&unplaced, config, visit_name, &walk);
        if (!walk.found && !moment && !file->arrays[i].is_text) return walk.name;
    }
    return "?";
}

/* Reads the header alone: the config, and that the tensors are those it asks for. */
static bool check_header(Model *model, const Arrays *file, bool is_run, Error *error) {
    ReadWalk walk = {.file = file, .error = error};
    Params unplaced = {0};
    if (!read_metadata(model, file, error) ||
        !params_place(&unplaced, &model->config, visit_check, &walk))
        return false;
    return walk.used + (is_run ? 2 : 0) == arrays_count_numbers(file) ||
           error_set(error, "%s: a tensor that this config has no place for",
                     unknown_tensor(file, &unplaced, &model->config, is_run));
}

static bool read_params(Model *model, const Arrays *file, Error *error) {
    ReadWalk walk = {.file = file, .error = error};
    return params_make(&model->params, &model->config, error) &&
           params_place(&model->params, &model->config, visit_read, &walk);
}

static bool read_state(RunState *state, const Arrays *file, const Model *model, Error *error) {
    const char *training = arrays_find_text(file, "training");
    if (!training) return error_set(error, "training is missing in the metadata");
    if (!train_options_from_json(&state->options, training, error)) return false;
    if (!whole_number(arrays_find_text(file, "step"), &state->step) ||
        state->step > state->options.steps)
        return error_set(error, "its step is not from 0 to %d", state->options.steps);
    for (int i = 0; i < 2; i++) {
        const Array *moment = arrays_find_numbers(file, moment_names[i]);
        if (!moment || moment->count != model->params.count)
            return error_set(error, "%s: missing or of the wrong size", moment_names[i]);
        state->moments[i] = malloc((size_t)model->params.count * sizeof(real));
        if (!state->moments[i] || !array_read_real(moment, state->moments[i]))
            return error_set(error, "%s: cannot be read", moment_names[i]);
        for (long n = 0; n < model->params.count; n++)
            if (!isfinite(state->moments[i][n]) || (i == 1 && state->moments[i][n] < 0))
                return error_set(error, "%s: value %ld cannot be a moment", moment_names[i], n);
    }
    return train_options_check(&state->options, error);
}

/* Reads all but the numbers first: a file that is no model costs no more than its header. `state`
 * is NULL where the file is to be a model, not a run. */
static bool read_model(Model *model, RunState *state, Safetensors *file, Error *error) {
    const Arrays *arrays = &file->arrays;
    if (!check_format(arrays, state != NULL, error)) return false;
    bool headed = check_header(model, arrays, state != NULL, error);
    if (headed && !safetensors_read_numbers(file, error)) return false;
    if (headed && read_params(model, arrays, error) &&
        (!state || read_state(state, arrays, model, error)))
        return true;
    return error_prefix(error, "%s", arrays->file_name);
}

/* Closes the file, whose numbers are the model's from now on. */
static bool end_reading(Model *model, RunState *state, Safetensors *file, bool good) {
    safetensors_close(file);
    if (good) return true;
    model_free(model);
    if (state) run_state_free(state);
    return false;
}

bool model_from_bytes(Model *model, const char *name, const void *bytes, size_t size,
                      Error *error) {
    Safetensors file;
    *model = (Model){0};
    if (!safetensors_over(&file, name, bytes, size, error)) return false;
    return end_reading(model, NULL, &file, read_model(model, NULL, &file, error));
}

bool model_open(Model *model, const char *path, Error *error) {
    Safetensors file;
    *model = (Model){0};
    if (!safetensors_open(&file, path, error)) return false;
    bool good = read_model(model, NULL, &file, error);
    if (good) SHA256Data(file.arrays.bytes, file.arrays.size, model->hash);
    return end_reading(model, NULL, &file, good);
}

bool run_state_open(Model *model, RunState *state, const char *path, Error *error) {
    Safetensors file;
    *model = (Model){0};
    *state = (RunState){0};
    if (!safetensors_open(&file, path, error)) return false;
    return end_reading(model, state, &file, read_model(model, state, &file, error));
}

/* --- writing ---------------------------------------------------------------------------------- */

typedef struct SaveWalk {
    Tensor *tensors;
    char (*names)[sizeof((ParamInfo *)0)->name];
    int count;
} SaveWalk;

static bool visit_number(void *context, const ParamInfo *info, real **place) {
    (void)info;
    (void)place;
    ++*(int *)context;
    return true;
}

static bool visit_save(void *context, const ParamInfo *info, real **place) {
    SaveWalk *walk = context;
    memcpy(walk->names[walk->count], info->name, sizeof info->name);
    walk->tensors[walk->count] = (Tensor){.name = walk->names[walk->count],
                                          .type = tensor_type_of_real(),
                                          .rank = info->cols ? 2 : 1,
                                          .shape = {info->rows, info->cols},
                                          .bytes = *place};
    walk->count++;
    return true;
}

/* Writes the model, and the run's state if there is one, to one file; its hash too, if
 * that is not NULL. */
static bool save(Model *model, const RunState *state, const char *path, char hash[FILE_HASH],
                 Error *error) {
    int count = 0;
    params_place(&model->params, &model->config, visit_number, &count);
    SaveWalk walk = {.tensors = calloc((size_t)count + 2, sizeof *walk.tensors),
                     .names = calloc((size_t)count + 2, sizeof *walk.names)};
    char *config = config_to_json(&model->config);
    char *source = vocab_to_json(&model->source_vocab),
         *target = vocab_to_json(&model->target_vocab);
    char *training = state ? train_options_to_json(&state->options) : NULL;
    char step[16];
    snprintf(step, sizeof step, "%d", state ? state->step : 0);
    bool saved = false;
    if (walk.tensors && walk.names && config && source && target && (training || !state)) {
        params_place(&model->params, &model->config, visit_save, &walk);
        for (int i = 0; state && i < 2; i++)
            walk.tensors[walk.count++] = (Tensor){.name = moment_names[i],
                                                  .type = tensor_type_of_real(),
                                                  .rank = 1,
                                                  .shape = {model->params.count},
                                                  .bytes = state->moments[i]};
        const TensorText texts[MAX_TEXTS] = {
            {"format", FORMAT_PREFIX "1"},
            {"task", model->task},
            {"command", model->command},
            {"config", config},
            {"source_vocab", source},
            {"target_vocab", target},
            {"step", step},
            {"training", training},
        };
        saved = safetensors_save_hashed(path, walk.tensors, walk.count, texts,
                                        state ? MAX_TEXTS : MAX_TEXTS - 2, hash, error);
    } else {
        error_set(error, "%s: out of memory", path);
    }
    free(walk.tensors);
    free(walk.names);
    cJSON_free(config);
    cJSON_free(source);
    cJSON_free(target);
    cJSON_free(training);
    return saved;
}

bool model_save(Model *model, const char *path, Error *error) {
    return save(model, NULL, path, model->hash, error);
}

bool run_state_save(Model *model, const RunState *state, const char *path, Error *error) {
    return save(model, state, path, NULL, error);
}
