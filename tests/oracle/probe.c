/* Runs the network on a made-up batch, for PyTorch to compute again:
 *   probe MODEL RESULTS CONFIG SEED [empty|training]
 * writes the model as the program does, and a file with all that else went in and came out. CONFIG
 * is JSON; with `empty`, some examples have an empty source, target or both; with `training`,
 * nothing is decoded and no option tried: a network with mistakes cannot read a growing prefix. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/arrays/safetensors_save.h"
#include "data/models/checkpoint.h"
#include "data/models/config_json.h"
#include "model/base/rng.h"
#include "model/decoding/decode.h"
#include "model/network/ablation_means.h"
#include "model/network/loss.h"
#include "model/network/params.h"
#include "model/network/transformer.h"
#include "model/training/trainer.h"

enum {
    BATCHES = 2,
    EXAMPLES = 7,
    SOURCE_LEN = 11,
    TARGET_LEN = 9,
    ADAM_STEPS = 10,
    BEAM = 3,
    MOST_TENSORS = 1024,
};

typedef struct Probe {
    Model model;
    TrainOptions options;
    Params gradient;
    Batch batches[BATCHES];
    uint64_t seed;
    bool empty;
    Tensor tensors[MOST_TENSORS];
    int tensor_count;
} Probe;

/* The probe is a test: any failure ends it. */
static void require(bool done, const Error *error) {
    if (done) return;
    fprintf(stderr, "probe: %s\n", error->text);
    exit(1);
}

static void *allocate(long count, size_t size) {
    void *place = calloc((size_t)(count ? count : 1), size);
    require(place != NULL, &(Error){.text = "out of memory"});
    return place;
}

/* --- what is written -------------------------------------------------------------------------- */

static long shape_count(const int *shape, int rank) {
    long count = 1;
    for (int i = 0; i < rank; i++)
        count *= shape[i];
    return count;
}

/* Copies the numbers. */
static void keep(Probe *probe, const char *prefix, const char *name, TensorType type,
                 const void *numbers, const int *shape, int rank) {
    require(probe->tensor_count < MOST_TENSORS, &(Error){.text = "too many tensors"});
    size_t size = type == TENSOR_I32 ? sizeof(int) : type == TENSOR_F64 ? 8 : 4;
    long count = shape_count(shape, rank);
    char *full = allocate(160, 1);
    snprintf(full, 160, "%s%s", prefix, name);
    void *bytes = allocate(count, size);
    memcpy(bytes, numbers, (size_t)count * size);
    Tensor *tensor = &probe->tensors[probe->tensor_count++];
    *tensor = (Tensor){.name = full, .type = type, .rank = rank, .bytes = bytes};
    for (int i = 0; i < rank; i++)
        tensor->shape[i] = shape[i];
}

static void keep_reals(Probe *probe, const char *name, const real *numbers, const int *shape,
                       int rank) {
    keep(probe, "", name, tensor_type_of_real(), numbers, shape, rank);
}

static void keep_ids(Probe *probe, const char *prefix, const char *name, const int *ids, int rows,
                     int cols) {
    keep(probe, prefix, name, TENSOR_I32, ids, (int[]){rows, cols}, cols ? 2 : 1);
}

typedef struct KeepWalk {
    Probe *probe;
    const char *prefix;
} KeepWalk;

static bool visit_keep(void *context, const ParamInfo *info, real **tensor) {
    KeepWalk *walk = context;
    keep(walk->probe, walk->prefix, info->name, tensor_type_of_real(), *tensor,
         (int[]){info->rows, info->cols}, info->cols ? 2 : 1);
    return true;
}

static void keep_params(Probe *probe, const char *prefix, Params *params) {
    params_place(params, &probe->model.config, visit_keep, &(KeepWalk){probe, prefix});
}

static void free_kept(Probe *probe) {
    for (int i = 0; i < probe->tensor_count; i++) {
        free((void *)(uintptr_t)probe->tensors[i].name);
        free((void *)(uintptr_t)probe->tensors[i].bytes);
    }
}

/* --- what goes in ----------------------------------------------------------------------------- */

/* Biases and gains begin at 0 and 1, where many a mistake would not show. */
static bool visit_disturb(void *context, const ParamInfo *info, real **tensor) {
    Rng *rng = context;
    bool constant = info->init == INIT_ZERO || info->init == INIT_ONE;
    for (long i = 0; constant && !info->held_at_zero && i < param_size(info); i++)
        (*tensor)[i] += (real)(0.2 * rng_normal(rng));
    return true;
}

static int length_of(const Probe *probe, int example, int longest, Rng *rng, bool empty) {
    if (probe->empty && empty) return 0;
    if (example == 0) return longest;
    return example == 1 ? 1 : 1 + (int)rng_below(rng, (uint32_t)longest);
}

static int draw_token(Rng *rng, int vocabulary) {
    return 3 + (int)rng_below(rng, (uint32_t)vocabulary - 3);
}

static void fill_example(Probe *probe, Batch *batch, int b, Rng *rng) {
    const Config *config = &probe->model.config;
    int sources = length_of(probe, b, batch->source_len, rng, b == 2 || b == 4);
    int targets = length_of(probe, b, batch->target_len, rng, b == 3 || b == 4);
    batch->enc_valid_lens[b] = sources;
    batch->dec_valid_lens[b] = targets;
    int *source = batch->source + (long)b * batch->source_len;
    int *in = batch->target_in + (long)b * batch->target_len;
    int *out = batch->target_out + (long)b * batch->target_len;
    for (int s = 0; s < batch->source_len; s++)
        source[s] = s < sources ? draw_token(rng, config->source_vocab) : config->pad_id;
    for (int t = 0; t < batch->target_len; t++) {
        out[t] = t < targets - 1    ? draw_token(rng, config->target_vocab)
                 : t == targets - 1 ? config->end_id
                                    : config->pad_id;
        in[t] = t >= targets ? config->pad_id : t == 0 ? config->start_id : out[t - 1];
    }
}

static void make_batches(Probe *probe) {
    Error error;
    for (int i = 0; i < BATCHES; i++) {
        Batch *batch = &probe->batches[i];
        Rng rng = rng_make(probe->seed, 1000 + (uint64_t)i);
        int shorter = i; /* so that the second batch has another shape */
        require(batch_reserve(batch, EXAMPLES - shorter, SOURCE_LEN - shorter, TARGET_LEN - shorter,
                              &error),
                &error);
        for (int b = 0; b < batch->size; b++)
            fill_example(probe, batch, b, &rng);
        char prefix[32];
        snprintf(prefix, sizeof prefix, "batches/%d/", i);
        keep_ids(probe, prefix, "source", batch->source, batch->size, batch->source_len);
        keep_ids(probe, prefix, "target_in", batch->target_in, batch->size, batch->target_len);
        keep_ids(probe, prefix, "target_out", batch->target_out, batch->size, batch->target_len);
        keep_ids(probe, prefix, "enc_valid_lens", batch->enc_valid_lens, batch->size, 0);
        keep_ids(probe, prefix, "dec_valid_lens", batch->dec_valid_lens, batch->size, 0);
    }
}

/* --- what comes out --------------------------------------------------------------------------- */

/* All maps of a site, the whole batch with its padding. */
static void keep_site(Probe *probe, const Workspace *ws, Site site, int queries, int keys) {
    const Config *config = &probe->model.config;
    int layers = site == SITE_ENCODER ? config->encoder_layers : config->decoder_layers;
    int maps = ws->context.batch * config->heads;
    int shape[] = {layers, ws->context.batch, config->heads, queries, keys};
    real *all = allocate(shape_count(shape, 5), sizeof *all), *next = all;
    for (int layer = 0; layer < layers; layer++) {
        const real *weights = site == SITE_ENCODER   ? ws->encoder[layer].self_attention.weights
                              : site == SITE_DECODER ? ws->decoder[layer].self_attention.weights
                                                     : ws->decoder[layer].cross_attention.weights;
        for (long row = 0; row < (long)maps * queries; row++, next += keys)
            memcpy(next, weights + row * attention_row(keys), (size_t)keys * sizeof *all);
    }
    char name[32];
    snprintf(name, sizeof name, "%s_attentions", site_name(site));
    keep_reals(probe, name, all, shape, 5);
    free(all);
}

/* Forward and backward over the first batch. */
static void pass(Probe *probe) {
    const Batch *batch = &probe->batches[0];
    const ForwardOptions plain = {0};
    Workspace ws = {0};
    Error error;
    int sources = batch->source_len, targets = batch->target_len;
    require(workspace_fit(&ws, &probe->model.config, batch->size, sources, targets, true, &error),
            &error);
    transformer_forward(&ws, &probe->model.params, batch, plain);
    int vocabulary = probe->model.config.target_vocab;
    keep_reals(probe, "logits", ws.logits, (int[]){batch->size, targets, vocabulary}, 3);
    keep_site(probe, &ws, SITE_ENCODER, sources, sources);
    keep_site(probe, &ws, SITE_DECODER, targets, targets);
    keep_site(probe, &ws, SITE_CROSS, targets, sources);
    long steps = loss_steps(batch);
    double sum = loss_backward(ws.logits, batch, vocabulary, (real)probe->options.label_smoothing,
                               1 / (real)steps);
    keep(probe, "", "loss", TENSOR_F64, &(double){sum / (double)steps}, (int[]){1}, 1);
    transformer_backward(&probe->gradient, &ws, &probe->model.params, batch, plain);
    keep_params(probe, "gradients/", &probe->gradient);
    workspace_free(&ws);
}

/* The first batch's targets, read one step at a time with cached keys and values. */
static void read_stepwise(Probe *probe) {
    const Batch *batch = &probe->batches[0];
    Workspace ws = {0};
    Error error;
    Decoder *decoder = decoder_for_sources(&ws, &probe->model.config, &probe->model.params, batch,
                                           1, (ForwardOptions){0}, &error);
    require(decoder != NULL, &error);
    int shape[] = {batch->target_len, batch->size, probe->model.config.target_vocab};
    real *logits = allocate(shape_count(shape, 3), sizeof *logits);
    int *ids = allocate(batch->size, sizeof *ids);
    for (int t = 0; t < batch->target_len; t++) {
        for (int b = 0; b < batch->size; b++)
            ids[b] = batch->target_in[b * batch->target_len + t];
        decoder_step(decoder, ids,
                     logits + (long)t * batch->size * probe->model.config.target_vocab);
    }
    keep_reals(probe, "stepwise_logits", logits, shape, 3);
    free(ids);
    free(logits);
    decoder_free(decoder);
    workspace_free(&ws);
}

static void keep_decoded(Probe *probe, const char *prefix, const Decoded *decoded, int count) {
    int most = probe->model.config.max_target;
    int *lengths = allocate(count, sizeof *lengths);
    int *tokens = allocate((long)count * most, sizeof *tokens);
    double *log_probs = allocate((long)count * most, sizeof *log_probs);
    double *scores = allocate(count, sizeof *scores);
    for (int i = 0; i < count; i++) {
        lengths[i] = decoded[i].length;
        scores[i] = decoded[i].score;
        for (int t = 0; t < decoded[i].length; t++) {
            tokens[i * most + t] = decoded[i].tokens[t];
            log_probs[i * most + t] = decoded[i].log_probs[t];
        }
    }
    keep_ids(probe, prefix, "lengths", lengths, count, 0);
    keep_ids(probe, prefix, "tokens", tokens, count, most);
    keep(probe, prefix, "log_probs", TENSOR_F64, log_probs, (int[]){count, most}, 2);
    keep(probe, prefix, "scores", TENSOR_F64, scores, (int[]){count}, 1);
    free(lengths);
    free(tokens);
    free(log_probs);
    free(scores);
}

/* Greedy decoding of the first batch, beam search of its first example. */
static void decode(Probe *probe) {
    const Batch *batch = &probe->batches[0];
    Workspace ws = {0};
    Error error;
    Decoded *greedy = allocate(batch->size, sizeof *greedy), beam[BEAM];
    require(decode_greedy(greedy, &ws, &probe->model.config, &probe->model.params, batch, &error),
            &error);
    keep_decoded(probe, "greedy/", greedy, batch->size);
    decoded_free(greedy, batch->size);
    free(greedy);
    Batch first = {0};
    int found = 0;
    require(batch_slice(&first, batch, (int[]){0}, 1, &error) &&
                decode_beam(beam, BEAM, &found, &ws, &probe->model.config, &probe->model.params,
                            &first, &error),
            &error);
    keep_decoded(probe, "beam/", beam, found);
    decoded_free(beam, BEAM);
    batch_free(&first);
    workspace_free(&ws);
}

/* --- under options: the first batch again ----------------------------------------------------- */

static void keep_logits(Probe *probe, const char *name, ForwardOptions options) {
    const Batch *batch = &probe->batches[0];
    Workspace ws = {0};
    Error error;
    require(workspace_fit(&ws, &probe->model.config, batch->size, batch->source_len,
                          batch->target_len, false, &error),
            &error);
    transformer_forward(&ws, &probe->model.params, batch, options);
    int shape[] = {batch->size, batch->target_len, probe->model.config.target_vocab};
    keep_reals(probe, name, ws.logits, shape, 3);
    workspace_free(&ws);
}

/* Over the first batch, into the ablation. */
static void find_means(Probe *probe, Ablation *ablation) {
    const Batch *batch = &probe->batches[0];
    Workspace ws = {0};
    Error error;
    AblationMeans *means = ablation_means_make(&probe->model.config, &error);
    require(means && workspace_fit(&ws, &probe->model.config, batch->size, batch->source_len,
                                   batch->target_len, false, &error),
            &error);
    transformer_forward(&ws, &probe->model.params, batch, (ForwardOptions){0});
    ablation_means_add(means, &ws, batch);
    ablation_means_store(means, ablation);
    ablation_means_free(means);
    workspace_free(&ws);
}

/* The logits with each head knocked out in turn, by zero and by mean. */
static void knock_out_each(Probe *probe, Ablation *ablation) {
    const Config *config = &probe->model.config;
    static const char *const names[] = {[KNOCKOUT_ZERO] = "zero", [KNOCKOUT_MEAN] = "mean"};
    for (int site = 0; site < SITE_COUNT; site++)
        for (int layer = 0;
             layer < (site == SITE_ENCODER ? config->encoder_layers : config->decoder_layers);
             layer++)
            for (int head = 0; head < config->heads; head++)
                for (int knockout = KNOCKOUT_ZERO; knockout <= KNOCKOUT_MEAN; knockout++) {
                    HeadId id = {(Site)site, layer, head};
                    char name[64];
                    snprintf(name, sizeof name, "%s/%s.%d.%d", names[knockout],
                             site_name((Site)site), layer, head);
                    ablation_set(ablation, id, (Knockout)knockout);
                    keep_logits(probe, name, (ForwardOptions){.ablation = ablation});
                    ablation_set(ablation, id, KNOCKOUT_NONE);
                }
}

/* Greedy decoding, each target beginning with the first words of the batch's, none of the first. */
static void decode_under(Probe *probe, const char *prefix, ForwardOptions options) {
    const Batch *batch = &probe->batches[0];
    ForcedTarget forced[EXAMPLES];
    Decoded out[EXAMPLES];
    Workspace ws = {0};
    Error error;
    for (int b = 0; b < batch->size; b++)
        forced[b] = (ForcedTarget){batch->target_out + (long)b * batch->target_len,
                                   b < batch->dec_valid_lens[b] ? b : batch->dec_valid_lens[b]};
    require(decode_forced(out, &ws, &probe->model.config, &probe->model.params, batch, forced,
                          options, &error),
            &error);
    keep_decoded(probe, prefix, out, batch->size);
    decoded_free(out, batch->size);
    workspace_free(&ws);
}

static void look_under_options(Probe *probe) {
    const Batch *batch = &probe->batches[0];
    int sources[EXAMPLES], targets[EXAMPLES]; /* half of the batch's lengths, rounded up */
    for (int b = 0; b < batch->size; b++) {
        sources[b] = (batch->enc_valid_lens[b] + 1) / 2;
        targets[b] = (batch->dec_valid_lens[b] + 1) / 2;
    }
    keep_ids(probe, "half/", "enc_valid_lens", sources, batch->size, 0);
    keep_ids(probe, "half/", "dec_valid_lens", targets, batch->size, 0);
    ForwardOptions half = {.enc_valid_lens = sources, .dec_valid_lens = targets};
    ForwardOptions not_causal = {.not_causal = true}, both = half;
    both.not_causal = true;
    keep_logits(probe, "half/logits", half);
    keep_logits(probe, "not_causal/logits", not_causal);
    keep_logits(probe, "half_not_causal/logits", both);

    Error error;
    Ablation *ablation = ablation_make(&probe->model.config, &error);
    require(ablation != NULL, &error);
    find_means(probe, ablation);
    knock_out_each(probe, ablation);
    for (int site = 0; site < SITE_COUNT; site++) /* layer 1, head 0 of each site */
        ablation_set(ablation, (HeadId){(Site)site, 1, 0}, KNOCKOUT_ZERO);
    ForwardOptions cached = {.ablation = ablation, .enc_valid_lens = sources};
    both.ablation = ablation;
    decode_under(probe, "forced/", (ForwardOptions){0});
    decode_under(probe, "forced_cached/", cached);
    decode_under(probe, "forced_anew/", both);
    ablation_free(ablation);
}

/* The batches in turn. */
static bool next_batch(void *context, int step, Batch *batch, Error *error) {
    const Probe *probe = context;
    const Batch *from = &probe->batches[(step - 1) % BATCHES];
    int order[EXAMPLES];
    for (int b = 0; b < from->size; b++)
        order[b] = b;
    return batch_slice(batch, from, order, from->size, error);
}

static void train(Probe *probe) {
    Error error;
    Trainer *trainer = trainer_make(&probe->model.config, &probe->model.params, &probe->options, 2,
                                    next_batch, probe, &error);
    require(trainer != NULL, &error);
    double losses[ADAM_STEPS], norms[ADAM_STEPS];
    for (int step = 0; step < ADAM_STEPS; step++) {
        TrainReport report;
        require(trainer_step(trainer, &report, &error), &error);
        losses[step] = report.loss;
        norms[step] = report.norm;
    }
    keep(probe, "", "losses", TENSOR_F64, losses, (int[]){ADAM_STEPS}, 1);
    keep(probe, "", "norms", TENSOR_F64, norms, (int[]){ADAM_STEPS}, 1);
    keep_params(probe, "after/", &probe->model.params);
    trainer_free(trainer);
}

static void make_model(Probe *probe, const char *path, const char *config) {
    Model *model = &probe->model;
    Error error;
    require(config_from_json(&model->config, config, &error) &&
                vocab_from_characters(&model->source_vocab, "abcdefghijklmn", &error) &&
                vocab_from_characters(&model->target_vocab, "0123456789", &error),
            &error);
    model->config.source_vocab = model->source_vocab.size;
    model->config.target_vocab = model->target_vocab.size;
    require(config_check(&model->config, &error) &&
                params_make(&model->params, &model->config, &error) &&
                params_make(&probe->gradient, &model->config, &error),
            &error);
    params_init(&model->params, &model->config, probe->seed);
    Rng rng = rng_make(probe->seed, 999);
    params_place(&model->params, &model->config, visit_disturb, &rng);
    require(model_save(model, path, &error), &error);
}

static void set_training(Probe *probe) {
    probe->options = train_options_default();
    probe->options.batch = EXAMPLES;
    probe->options.steps = ADAM_STEPS + 2; /* so that the rate does not end at 0 */
    probe->options.warmup = 4;
    probe->options.learning_rate = 0.01;
}

int main(int argc, char **argv) {
    static Probe probe; /* zeros */
    Error error;
    const char *word = argc == 6 ? argv[5] : "";
    bool training = strcmp(word, "training") == 0;
    probe.empty = strcmp(word, "empty") == 0;
    require(argc == 5 || (argc == 6 && (training || probe.empty)),
            &(Error){.text = "MODEL RESULTS CONFIG SEED [empty|training]"});
    probe.seed = strtoull(argv[4], NULL, 10);
    make_model(&probe, argv[1], argv[3]);
    set_training(&probe);
    make_batches(&probe);
    pass(&probe);
    if (!training) {
        read_stepwise(&probe);
        decode(&probe);
        look_under_options(&probe);
    }
    train(&probe);
    require(safetensors_save(argv[2], probe.tensors, probe.tensor_count, NULL, 0, &error), &error);
    free_kept(&probe);
    for (int i = 0; i < BATCHES; i++)
        batch_free(&probe.batches[i]);
    params_free(&probe.gradient);
    model_free(&probe.model);
    return 0;
}
