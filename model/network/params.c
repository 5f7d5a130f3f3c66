#include "model/network/params.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/base/large_memory.h"
#include "model/base/rng.h"

/* The state of a walk; `going` becomes false when a visit ends it. */
typedef struct Walk {
    const Config *config;
    ParamVisit *visit;
    void *context;
    bool going;
} Walk;

/* Visits the tensor named prefix + module + suffix. */
static void walk_tensor(Walk *walk, const char *prefix, const char *module, const char *suffix,
                        ParamInfo info, real **tensor) {
    if (!walk->going) return;
    snprintf(info.name, sizeof info.name, "%s%s%s", prefix, module, suffix);
    walk->going = walk->visit(walk->context, &info, tensor);
}

static void walk_linear(Walk *walk, const char *prefix, const char *module, int rows, int cols,
                        LinearParams *linear) {
    ParamInfo weight = {.rows = rows, .cols = cols, .init = INIT_XAVIER};
    walk_tensor(walk, prefix, module, ".weight", weight, &linear->weight);
    ParamInfo bias = {.rows = rows, .init = INIT_ZERO};
    walk_tensor(walk, prefix, module, ".bias", bias, &linear->bias);
}

static void walk_attention(Walk *walk, const char *prefix, const char *module,
                           AttentionParams *attention) {
    int width = walk->config->width;
    bool held = !walk->config->attention_bias;
    ParamInfo weight = {.rows = 3 * width, .cols = width, .init = INIT_XAVIER, .stacked = 3};
    ParamInfo bias = {.rows = 3 * width, .init = INIT_ZERO, .held_at_zero = held};
    walk_tensor(walk, prefix, module, ".in_proj_weight", weight, &attention->in.weight);
    walk_tensor(walk, prefix, module, ".in_proj_bias", bias, &attention->in.bias);
    weight = (ParamInfo){.rows = width, .cols = width, .init = INIT_XAVIER};
    bias.rows = width;
    walk_tensor(walk, prefix, module, ".out_proj.weight", weight, &attention->out.weight);
    walk_tensor(walk, prefix, module, ".out_proj.bias", bias, &attention->out.bias);
}

static void walk_norm(Walk *walk, const char *prefix, const char *module, NormParams *norm) {
    int width = walk->config->width;
    ParamInfo gain = {.rows = width, .init = INIT_ONE}, shift = {.rows = width, .init = INIT_ZERO};
    walk_tensor(walk, prefix, module, ".weight", gain, &norm->gain);
    walk_tensor(walk, prefix, module, ".bias", shift, &norm->shift);
}

static void walk_embedding(Walk *walk, const char *module, int rows, real **tensor) {
    ParamInfo info = {.rows = rows, .cols = walk->config->width, .init = INIT_EMBEDDING};
    walk_tensor(walk, "", module, ".weight", info, tensor);
}

static void walk_encoder(Walk *walk, int layer, EncoderParams *block) {
    char prefix[32];
    snprintf(prefix, sizeof prefix, "encoder.layers.%d.", layer);
    const Config *c = walk->config;
    walk_attention(walk, prefix, "self_attn", &block->self_attention);
    walk_linear(walk, prefix, "linear1", c->ffn_width, c->width, &block->linear1);
    walk_linear(walk, prefix, "linear2", c->width, c->ffn_width, &block->linear2);
    walk_norm(walk, prefix, "norm1", &block->norm1);
    walk_norm(walk, prefix, "norm2", &block->norm2);
}

static void walk_decoder(Walk *walk, int layer, DecoderParams *block) {
    char prefix[32];
    snprintf(prefix, sizeof prefix, "decoder.layers.%d.", layer);
    const Config *c = walk->config;
    walk_attention(walk, prefix, "self_attn", &block->self_attention);
    walk_attention(walk, prefix, "multihead_attn", &block->cross_attention);
    walk_linear(walk, prefix, "linear1", c->ffn_width, c->width, &block->linear1);
    walk_linear(walk, prefix, "linear2", c->width, c->ffn_width, &block->linear2);
    walk_norm(walk, prefix, "norm1", &block->norm1);
    walk_norm(walk, prefix, "norm2", &block->norm2);
    walk_norm(walk, prefix, "norm3", &block->norm3);
}

bool params_place(Params *params, const Config *config, ParamVisit *visit, void *context) {
    Walk walk = {.config = config, .visit = visit, .context = context, .going = true};
    EncoderParams unplaced_encoder;
    DecoderParams unplaced_decoder;
    walk_embedding(&walk, "src_embedding", config->source_vocab, &params->source_embedding);
    walk_embedding(&walk, "tgt_embedding", config->target_vocab, &params->target_embedding);
    for (int layer = 0; layer < config->encoder_layers; layer++)
        walk_encoder(&walk, layer, params->encoder ? &params->encoder[layer] : &unplaced_encoder);
    if (config->final_norm) walk_norm(&walk, "encoder.", "norm", &params->encoder_norm);
    for (int layer = 0; layer < config->decoder_layers; layer++)
        walk_decoder(&walk, layer, params->decoder ? &params->decoder[layer] : &unplaced_decoder);
    if (config->final_norm) walk_norm(&walk, "decoder.", "norm", &params->decoder_norm);
    walk_linear(&walk, "", "generator", config->target_vocab, config->width, &params->generator);
    return walk.going;
}

long param_size(const ParamInfo *info) {
    return (long)info->rows * (info->cols ? info->cols : 1);
}

static bool visit_count(void *context, const ParamInfo *info, real **tensor) {
    (void)tensor;
    *(long *)context += param_size(info);
    return true;
}

static bool visit_place(void *context, const ParamInfo *info, real **tensor) {
    real **next = context;
    *tensor = *next;
    *next += param_size(info);
    return true;
}

long params_count(const Config *config) {
    Params unplaced = {0};
    long count = 0;
    params_place(&unplaced, config, visit_count, &count);
    return count;
}

bool params_make(Params *params, const Config *config, Error *error) {
    *params = (Params){.count = params_count(config)};
    params->encoder = calloc((size_t)config->encoder_layers, sizeof *params->encoder);
    params->decoder = calloc((size_t)config->decoder_layers, sizeof *params->decoder);
    params->block = large_memory((size_t)params->count * sizeof *params->block);
    if (!params->encoder || !params->decoder || !params->block) {
        long count = params->count;
        params_free(params);
        return error_set(error, "out of memory for %ld parameters", count);
    }
    real *next = params->block;
    params_place(params, config, visit_place, &next);
    return true;
}

void params_free(Params *params) {
    free(params->encoder);
    free(params->decoder);
    large_memory_free(params->block, (size_t)params->count * sizeof *params->block);
    *params = (Params){0};
}

/* Each tensor is initialised from its own random stream. */
typedef struct InitWalk {
    uint64_t seed, stream;
} InitWalk;

static void fill_uniform(real *tensor, long count, double bound, Rng *rng) {
    for (long i = 0; i < count; i++)
        tensor[i] = (real)((2 * rng_uniform(rng) - 1) * bound);
}

static bool visit_init(void *context, const ParamInfo *info, real **tensor) {
    InitWalk *walk = context;
    Rng rng = rng_make(walk->seed, walk->stream++);
    long count = param_size(info);
    int rows = info->stacked ? info->rows / info->stacked : info->rows;
    switch (info->init) {
    case INIT_XAVIER:
        fill_uniform(*tensor, count, sqrt(6.0 / (rows + info->cols)), &rng);
        break;
    case INIT_EMBEDDING:
        for (long i = 0; i < count; i++)
            (*tensor)[i] = (real)(rng_normal(&rng) / sqrt(info->cols));
        break;
    case INIT_ZERO:
    case INIT_ONE:
        for (long i = 0; i < count; i++)
            (*tensor)[i] = info->init == INIT_ONE;
        break;
    }
    return true;
}

void params_init(Params *params, const Config *config, uint64_t seed) {
    InitWalk walk = {.seed = seed};
    params_place(params, config, visit_init, &walk);
}
