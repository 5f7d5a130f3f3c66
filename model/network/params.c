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

static void walk_tensor(Walk *walk, const char *prefix, const char *name, ParamInfo info,
                        real **tensor) {
    if (!walk->going) return;
    snprintf(info.name, sizeof info.name, "%s%s", prefix, name);
    walk->going = walk->visit(walk->context, &info, tensor);
}

static void walk_weight(Walk *walk, const char *prefix, const char *name, int rows, int cols,
                        real **tensor) {
    walk_tensor(walk, prefix, name, (ParamInfo){.rows = rows, .cols = cols, .init = INIT_XAVIER},
                tensor);
}

static void walk_bias(Walk *walk, const char *prefix, const char *name, int rows, bool held,
                      real **tensor) {
    walk_tensor(walk, prefix, name,
                (ParamInfo){.rows = rows, .init = INIT_ZERO, .held_at_zero = held}, tensor);
}

static void walk_linear(Walk *walk, const char *prefix, const char *name, int rows, int cols,
                        LinearParams *linear) {
    char full[64];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    walk_weight(walk, full, ".weight", rows, cols, &linear->weight);
    walk_bias(walk, full, ".bias", rows, false, &linear->bias);
}

static void walk_attention(Walk *walk, const char *prefix, const char *name,
                           AttentionParams *attention) {
    char full[64];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    int width = walk->config->width;
    bool held = !walk->config->attention_bias;
    ParamInfo stack = {.rows = 3 * width, .cols = width, .init = INIT_XAVIER, .stacked = 3};
    walk_tensor(walk, full, ".in_proj_weight", stack, &attention->in.weight);
    walk_bias(walk, full, ".in_proj_bias", 3 * width, held, &attention->in.bias);
    walk_weight(walk, full, ".out_proj.weight", width, width, &attention->out.weight);
    walk_bias(walk, full, ".out_proj.bias", width, held, &attention->out.bias);
}

static void walk_norm(Walk *walk, const char *prefix, const char *name, NormParams *norm) {
    char full[64];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    int width = walk->config->width;
    walk_tensor(walk, full, ".weight", (ParamInfo){.rows = width, .init = INIT_ONE}, &norm->gain);
    walk_tensor(walk, full, ".bias", (ParamInfo){.rows = width, .init = INIT_ZERO}, &norm->shift);
}

static void walk_embedding(Walk *walk, const char *name, int rows, real **tensor) {
    ParamInfo info = {.rows = rows, .cols = walk->config->width, .init = INIT_EMBEDDING};
    walk_tensor(walk, name, "", info, tensor);
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
    walk_embedding(&walk, "src_embedding.weight", config->source_vocab, &params->source_embedding);
    walk_embedding(&walk, "tgt_embedding.weight", config->target_vocab, &params->target_embedding);
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
