#include "model/training/trainer.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/large_memory.h"
#include "model/base/minmax.h"
#include "model/base/rng.h"
#include "model/base/thread.h"
#include "model/kernels/kernels.h"
#include "model/network/loss.h"
#include "model/network/transformer.h"

enum { CHUNK_SIZE = 1 << 15 }; /* parameters per job of the update */

/* One slice of the batch and the results of its pass. Activations are in the workspace of the
 * thread.
 */
typedef struct Slice {
    Batch batch;
    Params gradient; /* all 0 between steps */
    double loss;
    bool done;
    Error error;
} Slice;

struct Trainer {
    const Config *config;
    Params *params;
    TrainOptions options;
    TrainSource *source;
    void *context;
    Team *team;
    Batch batch;
    int *order; /* [batch] examples by length */
    int slice_count, thread_count;
    Slice *slices;         /* [slice_count] */
    Workspace *workspaces; /* [thread_count] */
    real *moments[2];
    double *squares; /* [chunks] */
    int step;
    long step_tokens;
    real gradient_scale;
};

/* --- options ---------------------------------------------------------------------------------- */

TrainOptions train_options_default(void) {
    return (TrainOptions){
        .seed = 1,
        .batch = 64,
        .warmup = 200,
        .clip = 1,
        .label_smoothing = 0.1,
        .beta1 = 0.9,
        .beta2 = 0.98,
        .epsilon = 1e-9,
    };
}

static bool within(const char *name, double value, double min, double below, Error *error) {
    if (value >= min && value < below) return true;
    return error_usage(error, "%s is %g; it must be at least %g and below %g", name, value, min,
                       below);
}

bool train_options_check(const TrainOptions *o, Error *error) {
    return within("steps", o->steps, 1, 1e8, error) && within("batch", o->batch, 1, 1e5, error) &&
           within("learning rate", o->learning_rate, 0, INFINITY, error) &&
           within("warm-up", o->warmup, 0, 1e8, error) &&
           within("clip", o->clip, 0, INFINITY, error) &&
           within("label smoothing", o->label_smoothing, 0, 1, error) &&
           within("beta1", o->beta1, 0, 1, error) && within("beta2", o->beta2, 0, 1, error) &&
           within("Adam's epsilon", o->epsilon, 0, 1, error) &&
           within("slices", o->slices, 0, TRAIN_SLICES_MAX + 1, error);
}

int train_slices(const TrainOptions *options, long params) {
    if (options->slices > 0) return options->slices;
    int slices = TRAIN_SLICES_MIN;
    while (2 * slices <= TRAIN_SLICES_MAX &&
           options->batch >= 2 * slices * TRAIN_SLICE_EXAMPLES_MIN &&
           2 * slices * params <= TRAIN_GRADIENTS_MAX)
        slices *= 2;
    return slices;
}

double train_rate(const TrainOptions *options, int step) {
    const double pi = 3.141592653589793;
    if (step <= options->warmup) return options->learning_rate * step / options->warmup;
    double done = (double)(step - options->warmup) / (options->steps - options->warmup + 1);
    return options->learning_rate * 0.5 * (1 + cos(pi * done));
}

void train_adam_step(real *value, real *first, real *second, const real *gradient, real scale,
                     double rate, int step, const TrainOptions *options, long count) {
    double beta1 = (double)options->beta1, beta2 = (double)options->beta2;
    double first_bias = 1 - pow(beta1, step), second_bias = 1 - pow(beta2, step);
    kernels_in_use()->adam(value, first, second, gradient, scale, (real)(rate / first_bias),
                           (real)(1 / sqrt(second_bias)), (real)beta1, (real)beta2,
                           (real)options->epsilon, count);
}

/* --- making ----------------------------------------------------------------------------------- */

static int chunk_count(const Trainer *trainer) {
    return (int)((trainer->params->count + CHUNK_SIZE - 1) / CHUNK_SIZE);
}

static bool trainer_allocate(Trainer *trainer, Error *error) {
    trainer->slices = calloc((size_t)trainer->slice_count, sizeof *trainer->slices);
    trainer->workspaces = calloc((size_t)trainer->thread_count, sizeof *trainer->workspaces);
    if (!trainer->slices || !trainer->workspaces)
        return error_set(error, "out of memory for training");
    for (int i = 0; i < trainer->slice_count; i++)
        if (!params_make(&trainer->slices[i].gradient, trainer->config, error)) return false;
    size_t count = (size_t)trainer->params->count;
    for (int i = 0; i < 2; i++)
        trainer->moments[i] = large_memory(count * sizeof *trainer->moments[i]);
    trainer->order = calloc((size_t)trainer->options.batch, sizeof *trainer->order);
    trainer->squares = calloc((size_t)chunk_count(trainer), sizeof *trainer->squares);
    if (trainer->moments[0] && trainer->moments[1] && trainer->order && trainer->squares)
        return true;
    return error_set(error, "out of memory for training %ld parameters", trainer->params->count);
}

/* At most one thread per slice. */
static int threads_used(int threads, int slices) {
    return int_min(threads, slices);
}

Trainer *trainer_make(const Config *config, Params *params, const TrainOptions *options,
                      int threads, TrainSource *source, void *context, Error *error) {
    Trainer *trainer = calloc(1, sizeof *trainer);
    if (!trainer) {
        error_set(error, "out of memory for training");
        return NULL;
    }
    trainer->config = config;
    trainer->params = params;
    trainer->options = *options;
    trainer->source = source;
    trainer->context = context;
    trainer->slice_count = train_slices(options, params->count);
    trainer->thread_count = threads_used(threads, trainer->slice_count);
    trainer->team = team_make(trainer->thread_count, error);
    if (trainer->team && trainer_allocate(trainer, error)) return trainer;
    trainer_free(trainer);
    return NULL;
}

void trainer_free(Trainer *trainer) {
    if (!trainer) return;
    team_free(trainer->team);
    /* trainer->params may already be freed. */
    size_t bytes = trainer->slices ? (size_t)trainer->slices[0].gradient.count * sizeof(real) : 0;
    for (int i = 0; i < 2; i++)
        large_memory_free(trainer->moments[i], bytes);
    for (int i = 0; trainer->slices && i < trainer->slice_count; i++) {
        batch_free(&trainer->slices[i].batch);
        params_free(&trainer->slices[i].gradient);
    }
    for (int i = 0; trainer->workspaces && i < trainer->thread_count; i++)
        workspace_free(&trainer->workspaces[i]);
    free(trainer->slices);
    free(trainer->workspaces);
    batch_free(&trainer->batch);
    free(trainer->order);
    free(trainer->squares);
    free(trainer);
}

int trainer_step_count(const Trainer *trainer) {
    return trainer->step;
}

real *const *trainer_moments(const Trainer *trainer) {
    return trainer->moments;
}

void trainer_resume(Trainer *trainer, int step, real *const moments[2]) {
    trainer->step = step;
    for (int i = 0; i < 2; i++)
        memcpy(trainer->moments[i], moments[i],
               (size_t)trainer->params->count * sizeof *moments[i]);
}

TrainerBytes trainer_bytes_of(const Config *config, const TrainOptions *options, int threads) {
    long count = params_count(config), parameters = count * (long)sizeof(real);
    int slices = train_slices(options, count), examples = (options->batch + slices - 1) / slices;
    return (TrainerBytes){
        .parameters = parameters,
        .gradients = slices * parameters,
        .moments = 2 * parameters,
        .workspace =
            threads_used(threads, slices) *
            workspace_bytes(config, examples, config->max_source, config->max_target, true),
    };
}

long trainer_bytes(const Config *config, const TrainOptions *options, int threads) {
    TrainerBytes bytes = trainer_bytes_of(config, options, threads);
    return bytes.parameters + bytes.gradients + bytes.moments + bytes.workspace;
}

/* --- one step --------------------------------------------------------------------------------- */

/* Sorts examples by length to minimise padding (a stable counting sort). */
static void order_by_length(Trainer *trainer) {
    const Batch *batch = &trainer->batch;
    int longest = batch->source_len + batch->target_len, placed = 0;
    for (int length = 0; length <= longest; length++)
        for (int b = 0; b < batch->size; b++)
            if (batch->enc_valid_lens[b] + batch->dec_valid_lens[b] == length)
                trainer->order[placed++] = b;
}

static void run_slice(void *context, int worker, int index) {
    Trainer *trainer = context;
    Slice *slice = &trainer->slices[index];
    Workspace *workspace = &trainer->workspaces[worker];
    long size = trainer->batch.size, slices = trainer->slice_count;
    int first = (int)(size * index / slices), end = (int)(size * (index + 1) / slices);
    slice->loss = 0;
    slice->done = true;
    if (first == end) return;
    Batch *batch = &slice->batch;
    slice->done =
        batch_slice(batch, &trainer->batch, trainer->order + first, end - first, &slice->error) &&
        workspace_fit(workspace, trainer->config, batch->size, batch->source_len, batch->target_len,
                      true, &slice->error);
    if (!slice->done) return;
    uint64_t key =
        rng_mix(trainer->options.seed ^ rng_mix((uint64_t)(trainer->step * slices + index)));
    ForwardOptions options = {.dropout = trainer->config->dropout, .dropout_key = key};
    transformer_forward(workspace, trainer->params, batch, options);
    slice->loss =
        loss_backward(workspace->logits, batch, trainer->config->target_vocab,
                      (real)trainer->options.label_smoothing, 1 / (real)trainer->step_tokens);
    transformer_backward(&slice->gradient, workspace, trainer->params, batch, options);
}

/* A part of the parameter block. */
typedef struct Chunk {
    long first, count;
} Chunk;

static Chunk chunk_of(const Trainer *trainer, int index) {
    long first = (long)index * CHUNK_SIZE, left = trainer->params->count - first;
    return (Chunk){first, left < CHUNK_SIZE ? left : CHUNK_SIZE};
}

/* Clears a gradient while it is still in the cache: clearing it before the next step took 2 % of
 * that step. */
static void clear_chunk(Trainer *trainer, int slice, Chunk chunk) {
    memset(trainer->slices[slice].gradient.block + chunk.first, 0,
           (size_t)chunk.count * sizeof(real));
}

static void sum_chunk(void *context, int worker, int index) {
    (void)worker;
    Trainer *trainer = context;
    Chunk chunk = chunk_of(trainer, index);
    int slices = trainer->slice_count;
    const real *parts[TRAIN_SLICES_MAX];
    for (int i = 0; i < slices; i++)
        parts[i] = trainer->slices[i].gradient.block + chunk.first;
    real *sum = trainer->slices[0].gradient.block + chunk.first;
    trainer->squares[index] = kernels_in_use()->sum_parts(sum, parts, slices, chunk.count);
    for (int i = 1; i < slices; i++)
        clear_chunk(trainer, i, chunk);
}

static void update_chunk(void *context, int worker, int index) {
    (void)worker;
    Trainer *trainer = context;
    Chunk chunk = chunk_of(trainer, index);
    train_adam_step(trainer->params->block + chunk.first, trainer->moments[0] + chunk.first,
                    trainer->moments[1] + chunk.first,
                    trainer->slices[0].gradient.block + chunk.first, trainer->gradient_scale,
                    train_rate(&trainer->options, trainer->step + 1), trainer->step + 1,
                    &trainer->options, chunk.count);
    clear_chunk(trainer, 0, chunk);
}

/* After a failed step. Always returns false. */
static bool clear_gradients(Trainer *trainer) {
    for (int i = 0; i < trainer->slice_count; i++)
        clear_chunk(trainer, i, (Chunk){0, trainer->params->count});
    return false;
}

/* Runs the slices forward and backward; sets report->tokens and report->loss. */
static bool run_slices(Trainer *trainer, TrainReport *report, Error *error) {
    trainer->step_tokens = loss_steps(&trainer->batch);
    if (trainer->step_tokens == 0) return error_set(error, "a batch without target tokens");
    order_by_length(trainer);
    team_run(trainer->team, run_slice, trainer, trainer->slice_count);
    double loss = 0;
    for (int i = 0; i < trainer->slice_count; i++) {
        if (!trainer->slices[i].done) {
            if (error) *error = trainer->slices[i].error;
            return false;
        }
        loss += trainer->slices[i].loss;
    }
    report->tokens = trainer->step_tokens;
    report->loss = loss / (double)trainer->step_tokens;
    return true;
}

bool trainer_step(Trainer *trainer, TrainReport *report, Error *error) {
    if (!trainer->source(trainer->context, trainer->step + 1, &trainer->batch, error)) return false;
    if (!run_slices(trainer, report, error)) return clear_gradients(trainer);
    int chunks = chunk_count(trainer);
    team_run(trainer->team, sum_chunk, trainer, chunks);
    double squares = 0;
    for (int i = 0; i < chunks; i++)
        squares += trainer->squares[i];
    report->norm = sqrt(squares);
    if (!isfinite(report->loss) || !isfinite(report->norm)) {
        error_set(error,
                  "step %d: the loss is %g and the norm of its gradient %g; try a smaller "
                  "learning rate or a longer warm-up",
                  trainer->step + 1, report->loss, report->norm);
        return clear_gradients(trainer);
    }
    bool clipped = trainer->options.clip > 0 && report->norm > trainer->options.clip;
    trainer->gradient_scale = clipped ? (real)(trainer->options.clip / report->norm) : 1;
    team_run(trainer->team, update_chunk, trainer, chunks);
    trainer->step++;
    return true;
}
