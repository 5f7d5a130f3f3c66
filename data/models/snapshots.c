#include "data/models/snapshots.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/arrays/safetensors.h"
#include "data/arrays/safetensors_save.h"
#include "data/files/json_text.h"
#include "data/models/config_json.h"
#include "model/base/minmax.h"

#define FORMAT      "headscope-snapshots-1"
#define TENSOR_NAME "snapshot.%03d"
enum { NAME_SIZE = 32 };

char *snapshots_path(const char *model_path) {
    static const char plain[] = ".safetensors", ending[] = ".snapshots.safetensors";
    size_t length = strlen(model_path), cut = sizeof plain - 1;
    if (length >= cut && strcmp(model_path + length - cut, plain) == 0) length -= cut;
    char *path = malloc(length + sizeof ending);
    if (!path) return NULL;
    memcpy(path, model_path, length);
    memcpy(path + length, ending, sizeof ending);
    return path;
}

/* --- taking them ------------------------------------------------------------------------------ */

int snapshots_step(int index, int planned, int steps) {
    double part = (double)index / (planned - 1);
    int step = (int)floor(steps * part * part + 0.5);
    return int_max(step, index);
}

static bool allocate(Snapshots *snapshots, Error *error) {
    size_t planned = (size_t)snapshots->planned, count = (size_t)snapshots->params_count;
    snapshots->infos = calloc(planned, sizeof *snapshots->infos);
    snapshots->params = calloc(planned * count, sizeof *snapshots->params);
    if (snapshots->infos && snapshots->params) return true;
    snapshots_free(snapshots);
    return error_set(error, "out of memory for %zu snapshots of %zu parameters", planned, count);
}

bool snapshots_make(Snapshots *snapshots, int planned, const Config *config,
                    const TrainOptions *options, Error *error) {
    *snapshots =
        (Snapshots){.planned = planned, .options = *options, .params_count = params_count(config)};
    if (planned < SNAPSHOTS_MIN || planned > SNAPSHOTS_MAX)
        return error_usage(error, "%d snapshots: a run takes %d to %d", planned, SNAPSHOTS_MIN,
                           SNAPSHOTS_MAX);
    if (planned - 1 > options->steps)
        return error_usage(error, "%d snapshots: a run of %d steps has at most %d", planned,
                           options->steps, options->steps + 1);
    return allocate(snapshots, error);
}

void snapshots_free(Snapshots *snapshots) {
    free(snapshots->infos);
    free(snapshots->params);
    *snapshots = (Snapshots){0};
}

static real *block(const Snapshots *snapshots, int index) {
    return snapshots->params + (size_t)index * (size_t)snapshots->params_count;
}

static size_t block_size(const Snapshots *snapshots) {
    return (size_t)snapshots->params_count * sizeof(real);
}

bool snapshots_due(const Snapshots *snapshots, int step) {
    int next = snapshots->count;
    return next < snapshots->planned &&
           snapshots_step(next, snapshots->planned, snapshots->options.steps) == step;
}

void snapshots_add(Snapshots *snapshots, SnapshotInfo info, const Params *params) {
    snapshots->infos[snapshots->count] = info;
    memcpy(block(snapshots, snapshots->count), params->block, block_size(snapshots));
    snapshots->count++;
}

void snapshots_params(const Snapshots *snapshots, int index, Params *params) {
    memcpy(params->block, block(snapshots, index), block_size(snapshots));
}

bool snapshots_resume(Snapshots *snapshots, const TrainOptions *options, int step, Error *error) {
    char *mine = train_options_to_json(&snapshots->options);
    char *run = train_options_to_json(options);
    bool same = mine && run && strcmp(mine, run) == 0;
    free(mine);
    free(run);
    int planned = snapshots->planned, count = 0;
    while (same && count < planned && snapshots_step(count, planned, options->steps) <= step) {
        same = count < snapshots->count &&
               snapshots->infos[count].step == snapshots_step(count, planned, options->steps);
        count++;
    }
    snapshots->count = count;
    return same || error_set(error, "they are not the snapshots of this run");
}

/* --- writing ---------------------------------------------------------------------------------- */

static char *infos_to_json(const Snapshots *snapshots) {
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < snapshots->count; i++) {
        const SnapshotInfo *info = &snapshots->infos[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddNumberToObject(item, "step", info->step);
        if (isfinite(info->loss))
            cJSON_AddNumberToObject(item, "loss", info->loss);
        else
            cJSON_AddNullToObject(item, "loss");
        cJSON_AddNumberToObject(item, "exact", info->exact);
        cJSON_AddItemToArray(list, item);
    }
    char *text = list ? cJSON_PrintUnformatted(list) : NULL;
    cJSON_Delete(list);
    return text;
}

bool snapshots_save(const Snapshots *snapshots, const Model *model, const char *path,
                    Error *error) {
    size_t count = (size_t)snapshots->count;
    Tensor *tensors = calloc(count + 1, sizeof *tensors);
    char(*names)[NAME_SIZE] = calloc(count + 1, sizeof *names);
    char *config = config_to_json(&model->config);
    char *source = vocab_to_json(&model->source_vocab);
    char *target = vocab_to_json(&model->target_vocab);
    char *training = train_options_to_json(&snapshots->options);
    char *infos = infos_to_json(snapshots);
    char planned[16];
    snprintf(planned, sizeof planned, "%d", snapshots->planned);
    bool saved = false;
    if (tensors && names && config && source && target && training && infos) {
        for (int i = 0; i < snapshots->count; i++) {
            snprintf(names[i], sizeof names[i], TENSOR_NAME, i);
            tensors[i] = (Tensor){.name = names[i],
                                  .type = tensor_type_of_real(),
                                  .rank = 1,
                                  .shape = {snapshots->params_count},
                                  .bytes = block(snapshots, i)};
        }
        const TensorText texts[] = {
            {"format", FORMAT},       {"task", model->task},  {"command", model->command},
            {"model", model->hash},   {"config", config},     {"source_vocab", source},
            {"target_vocab", target}, {"training", training}, {"planned", planned},
            {"snapshots", infos},
        };
        saved = safetensors_save(path, tensors, snapshots->count, texts,
                                 sizeof texts / sizeof texts[0], error);
    } else {
        error_set(error, "%s: out of memory", path);
    }
    free(tensors);
    free(names);
    free(config);
    free(source);
    free(target);
    free(training);
    free(infos);
    return saved;
}

/* --- reading ---------------------------------------------------------------------------------- */

static bool check_format(const Arrays *file, Error *error) {
    const char *format = arrays_find_text(file, "format");
    if (format && strcmp(format, FORMAT) == 0) return true;
    return error_set(error, "no snapshots of a run (its format is not " FORMAT ")");
}

static bool same_config(const Arrays *file, const Config *expected, Error *error) {
    const char *text = arrays_find_text(file, "config");
    Config config;
    if (!text) return error_set(error, "config is missing in the metadata");
    if (!config_from_json(&config, text, error)) return false;
    /* Word by word: the one list of entries says what is compared. */
    char *held = config_to_json(&config), *wanted = config_to_json(expected);
    bool same = held && wanted && strcmp(held, wanted) == 0;
    free(held);
    free(wanted);
    return same || error_set(error, "config is not the model's");
}

static bool same_vocab(const Arrays *file, const char *key, const Vocab *expected, Error *error) {
    Vocab vocab;
    if (!vocab_from_json(&vocab, arrays_find_text(file, key), key, error)) return false;
    bool same = vocab.size == expected->size;
    for (int i = 0; same && i < vocab.size; i++)
        same = strcmp(vocab.tokens[i], expected->tokens[i]) == 0;
    vocab_free(&vocab);
    return same || error_set(error, "%s is not the model's", key);
}

static bool same_model(const Arrays *file, const Model *model, Error *error) {
    const char *hash = arrays_find_text(file, "model");
    if (!hash) return error_set(error, "model is missing in the metadata");
    if (strcmp(hash, model->hash) != 0)
        return error_set(error, "the snapshots of another run, not of this model's");
    return same_config(file, &model->config, error) &&
           same_vocab(file, "source_vocab", &model->source_vocab, error) &&
           same_vocab(file, "target_vocab", &model->target_vocab, error);
}

static bool number_in(const cJSON *item, const char *key, double least, double most,
                      double *number) {
    const cJSON *entry = cJSON_GetObjectItemCaseSensitive(item, key);
    *number = cJSON_IsNumber(entry) ? entry->valuedouble : (double)NAN;
    return *number >= least && *number <= most;
}

static bool read_info(Snapshots *snapshots, const cJSON *item, Error *error) {
    int index = snapshots->count;
    int least = index ? snapshots->infos[index - 1].step + 1 : 0;
    double step;
    SnapshotInfo *info = &snapshots->infos[index];
    if (!number_in(item, "step", least, snapshots->options.steps, &step) || floor(step) != step)
        return error_set(error, "snapshots: entry %d: its step is not a whole one from %d to %d",
                         index, least, snapshots->options.steps);
    info->step = (int)step;
    bool none = cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(item, "loss"));
    info->loss = (double)NAN;
    if (!none && !number_in(item, "loss", 0, 1e300, &info->loss))
        return error_set(error, "snapshots: entry %d: its loss is no number from 0", index);
    if (!number_in(item, "exact", 0, 1, &info->exact))
        return error_set(error, "snapshots: entry %d: its exact is no share from 0 to 1", index);
    snapshots->count++;
    return true;
}

/* Walks the list of tensors over one snapshot's block. */
typedef struct CheckWalk {
    const real *next;
    const char *name;
    Error *error;
} CheckWalk;

static bool visit_check(void *context, const ParamInfo *info, real **place) {
    (void)place;
    CheckWalk *walk = context;
    const real *values = walk->next;
    walk->next += param_size(info);
    return model_check_param(info, values, walk->error) ||
           error_prefix(walk->error, "%s", walk->name);
}

static bool find_tensor(const Arrays *file, int index, long params_count, const Array **tensor,
                        Error *error) {
    char name[NAME_SIZE];
    snprintf(name, sizeof name, TENSOR_NAME, index);
    *tensor = arrays_find_numbers(file, name);
    if (!*tensor) return error_set(error, "%s: missing", name);
    if ((*tensor)->rank != 1 || (*tensor)->shape[0] != params_count)
        return error_set(error, "%s: its shape is not [%ld], the number of the model's parameters",
                         name, params_count);
    return true;
}

static bool read_params(Snapshots *snapshots, const Arrays *file, const Config *config,
                        Error *error) {
    for (int i = 0; i < snapshots->count; i++) {
        const Array *tensor;
        if (!find_tensor(file, i, snapshots->params_count, &tensor, error)) return false;
        if (!array_read_real(tensor, block(snapshots, i)))
            return error_set(error, "%s: whole numbers instead of weights", tensor->name);
        CheckWalk walk = {.next = block(snapshots, i), .name = tensor->name, .error = error};
        Params unplaced = {0};
        if (!params_place(&unplaced, config, visit_check, &walk)) return false;
    }
    return true;
}

/* Room for them all, once it is known that the file is as large. */
static bool make_room(Snapshots *snapshots, const Arrays *file, int listed, Error *error) {
    const char *planned = arrays_find_text(file, "planned");
    size_t digits = planned ? strspn(planned, "0123456789") : 0;
    bool whole = digits > 0 && digits < 4 && !planned[digits];
    snapshots->planned = whole ? atoi(planned) : 0;
    if (snapshots->planned < SNAPSHOTS_MIN)
        return error_set(error, "planned is not from %d to %d", SNAPSHOTS_MIN, SNAPSHOTS_MAX);
    if (listed < 1 || listed > snapshots->planned)
        return error_set(error, "snapshots: %d entries instead of 1 to %d", listed,
                         snapshots->planned);
    int tensors = arrays_count_numbers(file);
    if (listed != tensors)
        return error_set(error, "%d tensors, but snapshots has %d entries", tensors, listed);
    for (int i = 0; i < listed; i++) {
        const Array *tensor;
        if (!find_tensor(file, i, snapshots->params_count, &tensor, error)) return false;
    }
    return allocate(snapshots, error);
}

static bool read_snapshots(Snapshots *snapshots, const Arrays *file, const Model *model,
                           Error *error) {
    const char *training = arrays_find_text(file, "training");
    const char *text = arrays_find_text(file, "snapshots");
    if (!training) return error_set(error, "training is missing in the metadata");
    if (!train_options_from_json(&snapshots->options, training, error) ||
        !train_options_check(&snapshots->options, error))
        return false;
    cJSON *list = json_text_parse(text);
    bool good = cJSON_IsArray(list) ||
                error_set(error, "snapshots: no JSON list of entries in the metadata");
    snapshots->params_count = params_count(&model->config);
    good = good && make_room(snapshots, file, cJSON_GetArraySize(list), error);
    const cJSON *item;
    if (good) {
        cJSON_ArrayForEach(item, list) {
            good = good && read_info(snapshots, item, error);
        }
    }
    cJSON_Delete(list);
    return good && read_params(snapshots, file, &model->config, error);
}

/* Judges the header before the numbers are read. */
static bool read_file(Snapshots *snapshots, Safetensors *file, const Model *model, Error *error) {
    const Arrays *arrays = &file->arrays;
    bool mine = check_format(arrays, error) && same_model(arrays, model, error);
    if (mine && !safetensors_read_numbers(file, error)) return false;
    if (mine && read_snapshots(snapshots, arrays, model, error)) return true;
    snapshots_free(snapshots);
    if (error) error->kind = ERROR_FAILED;
    return error_prefix(error, "%s", arrays->file_name);
}

bool snapshots_from_bytes(Snapshots *snapshots, const char *name, const void *bytes, size_t size,
                          const Model *model, Error *error) {
    Safetensors file;
    *snapshots = (Snapshots){0};
    if (!safetensors_over(&file, name, bytes, size, error)) return false;
    bool read = read_file(snapshots, &file, model, error);
    safetensors_close(&file);
    return read;
}

bool snapshots_open(Snapshots *snapshots, const char *path, const Model *model, Error *error) {
    Safetensors file;
    *snapshots = (Snapshots){0};
    if (!safetensors_open(&file, path, error)) return false;
    bool read = read_file(snapshots, &file, model, error);
    safetensors_close(&file);
    return read;
}
