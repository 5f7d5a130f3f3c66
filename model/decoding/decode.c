#include "model/decoding/decode.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/large_memory.h"
#include "model/base/minmax.h"
#include "model/kernels/mask.h"
#include "model/network/embedding.h"
#include "model/network/layers.h"

/* Cached keys and values of one layer, in rows of 2W: key, then value. */
typedef struct LayerCache {
    real *self;  /* [rows,max_target,2W] of the target so far */
    real *cross; /* [B*S,2W] of the encoder's outputs */
} LayerCache;

struct Decoder {
    const Config *config;
    const Params *params;
    int rows, copies, source_len;
    int step;
    LayerCache *layers;        /* [decoder_layers] */
    const real *positions;     /* [max_target,W], the workspace's */
    BlockContext context;      /* one target step, no source steps: all keys are in the caches */
    DecoderSaved saved;        /* of one block, shared by all layers */
    real *x;                   /* [rows,W] the embedded tokens */
    real *spare;               /* another LayerCache.self, for reordering */
    int *self_len, *cross_len; /* [rows,H] */
};

bool decoder_can_cache(const Config *config, ForwardOptions options) {
    return options.dropout == 0 && !options.dec_valid_lens && !options.not_causal &&
           !sites_mistaken(options.mistakes ? options.mistakes : config->mistakes);
}

/* --- making ----------------------------------------------------------------------------------- */

static void decoder_place(Decoder *decoder, Arena *arena) {
    const Config *config = decoder->config;
    long rows = decoder->rows, width = config->width;
    long self_size = rows * config->max_target * 2 * width;
    long sources = (decoder->copies > 1 ? 1 : rows) * decoder->source_len;
    for (int layer = 0; layer < config->decoder_layers; layer++) {
        decoder->layers[layer].self = arena_take(arena, self_size);
        decoder->layers[layer].cross = arena_take(arena, sources * 2 * width);
    }
    int longest = int_max(config->max_target, decoder->source_len);
    decoder->spare = arena_take(arena, decoder->copies > 1 ? self_size : 0);
    decoder->x = arena_take(arena, rows * width);
    decoder->context.branch = arena_take(arena, rows * width);
    decoder_block_place(&decoder->saved, &decoder->context, arena);
    AttentionSizes widest = {decoder->rows, config->heads, 1, longest, config_head_width(config)};
    decoder->saved.self_attention.weights = decoder->saved.cross_attention.weights =
        arena_take(arena, rows * config->heads * attention_row(longest));
    decoder->context.attention.attention = arena_take(arena, attention_scratch(widest));
}

static AttentionParams cross_params(const Decoder *decoder, int layer) {
    return attention_params_used(decoder->params->decoder[layer].cross_attention, decoder->config);
}

/* Places the decoder's arrays in workspace->decoder_block, which grows only if needed. */
static bool place_in_workspace(Decoder *decoder, Workspace *workspace) {
    Arena arena = {0};
    decoder_place(decoder, &arena);
    if (arena.used > workspace->decoder_capacity) {
        large_memory_free(workspace->decoder_block,
                          (size_t)workspace->decoder_capacity * sizeof(real));
        workspace->decoder_block = large_memory((size_t)arena.used * sizeof(real));
        workspace->decoder_capacity = workspace->decoder_block ? arena.used : 0;
    }
    arena = (Arena){.block = workspace->decoder_block};
    if (arena.block) decoder_place(decoder, &arena);
    return arena.block != NULL;
}

/* `workspace` holds the encoded sources. */
static Decoder *decoder_make(Workspace *workspace, const Params *params, const Batch *sources,
                             int copies, ForwardOptions options, Error *error) {
    assert(decoder_can_cache(workspace->context.config, options));
    const int *source_lens =
        options.enc_valid_lens ? options.enc_valid_lens : sources->enc_valid_lens;
    const Config *config = workspace->context.config;
    Decoder *decoder = calloc(1, sizeof *decoder);
    if (!decoder) goto no_memory;
    decoder->config = config;
    decoder->params = params;
    decoder->copies = copies;
    decoder->rows = copies > 1 ? copies : sources->size;
    decoder->source_len = sources->source_len;
    decoder->context = (BlockContext){
        .config = config, .batch = decoder->rows, .target_len = 1, .ablation = options.ablation};
    decoder->layers = calloc((size_t)config->decoder_layers, sizeof *decoder->layers);
    decoder->self_len = calloc(2 * (size_t)decoder->rows * (size_t)config->heads, sizeof(int));
    if (!decoder->layers || !decoder->self_len) goto no_memory;
    if (!place_in_workspace(decoder, workspace)) goto no_memory;
    decoder->positions = workspace->positions;
    decoder->cross_len = decoder->self_len + decoder->rows * config->heads;
    decoder->context.key_len[SITE_DECODER] = decoder->self_len;
    decoder->context.key_len[SITE_CROSS] = decoder->cross_len;
    for (int row = 0; row < decoder->rows; row++)
        mask_fill(decoder->cross_len + row * config->heads, &source_lens[copies > 1 ? 0 : row], 1,
                  config->heads, 1, false);
    for (int layer = 0; layer < config->decoder_layers; layer++)
        linear_forward(
            decoder->layers[layer].cross, workspace->encoded,
            attention_rows(cross_params(decoder, layer).in, config->width, config->width),
            sources->size * sources->source_len, 2 * config->width, config->width);
    return decoder;

no_memory:
    decoder_free(decoder);
    error_set(error, "out of memory for decoding");
    return NULL;
}

Decoder *decoder_for_sources(Workspace *workspace, const Config *config, const Params *params,
                             const Batch *sources, int copies, ForwardOptions options,
                             Error *error) {
    if (!workspace_fit(workspace, config, sources->size, sources->source_len, 1, false, error) ||
        !workspace_fit_positions(workspace, config, config->max_target, error))
        return NULL;
    transformer_encode(workspace, params, sources, options);
    return decoder_make(workspace, params, sources, copies, options, error);
}

void decoder_free(Decoder *decoder) {
    if (!decoder) return;
    free(decoder->layers);
    free(decoder->self_len);
    free(decoder);
}

/* --- one step --------------------------------------------------------------------------------- */

static const real *layer_step(Decoder *decoder, const real *x, int layer) {
    const Config *config = decoder->config;
    long row = 2L * config->width;
    MultiheadCache self = {decoder->layers[layer].self, config->max_target * row,
                           decoder->step + 1};
    MultiheadCache cross = {decoder->layers[layer].cross,
                            decoder->copies > 1 ? 0 : decoder->source_len * row,
                            decoder->source_len};
    BlockContext context = decoder->context;
    context.cache[SITE_DECODER] = &self;
    context.cache[SITE_CROSS] = &cross;
    return decoder_block_forward(&decoder->saved, x, NULL, &decoder->params->decoder[layer],
                                 &context, layer);
}

void decoder_step(Decoder *decoder, const int *ids, real *logits) {
    const Config *config = decoder->config;
    const Params *params = decoder->params;
    int rows = decoder->rows;
    for (int i = 0; i < rows * config->heads; i++)
        decoder->self_len[i] = decoder->step + 1;
    embedding_forward(decoder->x, ids, params->target_embedding, decoder->positions, decoder->step,
                      rows, 1, config, (Dropout){0});
    const real *x = decoder->x;
    for (int layer = 0; layer < config->decoder_layers; layer++)
        x = layer_step(decoder, x, layer);
    if (config->final_norm) {
        StepSaved scratch = decoder->saved.step1; /* x is in that of the last step */
        layernorm_forward(scratch.normed, scratch.mean, scratch.rstd, x, params->decoder_norm, rows,
                          config->width, (real)config->layernorm_epsilon);
        x = scratch.normed;
    }
    linear_forward(logits, x, params->generator, rows, config->target_vocab, config->width);
    decoder->step++;
}

void decoder_reorder(Decoder *decoder, const int *parents) {
    const Config *config = decoder->config;
    long example = (long)config->max_target * 2 * config->width;
    size_t used = (size_t)decoder->step * 2 * (size_t)config->width * sizeof(real);
    for (int layer = 0; layer < config->decoder_layers; layer++) {
        LayerCache *cache = &decoder->layers[layer];
        for (int row = 0; row < decoder->rows; row++)
            memcpy(decoder->spare + row * example, cache->self + parents[row] * example, used);
        real *old = cache->self;
        cache->self = decoder->spare;
        decoder->spare = old;
    }
}

/* --- decoded targets -------------------------------------------------------------------------- */

bool decoded_make(Decoded *decoded, int count, int max_length) {
    memset(decoded, 0, (size_t)count * sizeof *decoded);
    for (int i = 0; i < count; i++) {
        decoded[i].tokens = calloc((size_t)max_length, sizeof *decoded[i].tokens);
        decoded[i].log_probs = calloc((size_t)max_length, sizeof *decoded[i].log_probs);
        if (!decoded[i].tokens || !decoded[i].log_probs) {
            decoded_free(decoded, count);
            return false;
        }
    }
    return true;
}

void decoded_free(Decoded *decoded, int count) {
    for (int i = 0; i < count; i++) {
        free(decoded[i].tokens);
        free(decoded[i].log_probs);
        decoded[i] = (Decoded){0};
    }
}

bool decoded_to_batch(Batch *batch, const Batch *sources, const Decoded *decoded,
                      const Config *config, Error *error) {
    int target_len = 1, source_len = sources->source_len;
    for (int b = 0; b < sources->size; b++)
        target_len = int_max(target_len, decoded[b].length);
    if (!batch_reserve(batch, sources->size, source_len, target_len, error)) return false;
    size_t source_size = (size_t)sources->size * (size_t)source_len;
    memcpy(batch->source, sources->source, source_size * sizeof *batch->source);
    for (int b = 0; b < sources->size; b++) {
        int *in = batch->target_in + b * target_len, *out = batch->target_out + b * target_len;
        int length = decoded[b].length;
        batch->enc_valid_lens[b] = sources->enc_valid_lens[b];
        batch->dec_valid_lens[b] = length;
        for (int t = 0; t < target_len; t++) {
            out[t] = t < length ? decoded[b].tokens[t] : config->pad_id;
            in[t] = t == 0 ? config->start_id : out[t - 1];
        }
    }
    return true;
}
