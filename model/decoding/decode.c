#include "model/decoding/decode.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/large_memory.h"
#include "model/base/minmax.h"
#include "model/kernels/kernels.h"
#include "model/kernels/mask.h"
#include "model/network/embedding.h"
#include "model/network/layernorm.h"
#include "model/network/linear.h"

/* Keys and values of one layer, in rows of 2W: key, then value. */
typedef struct LayerCache {
    real *own;   /* [rows,max_target,2W] of the target so far */
    real *cross; /* [B*S,2W] of the encoder's outputs */
} LayerCache;

struct Decoder {
    const Config *config;
    const Params *params;
    int rows, copies, source_len;
    int step;
    const Ablation *ablation; /* or NULL */
    LayerCache *layers;       /* [decoder_layers] */
    const real *positions;    /* [max_target,W], the workspace's */
    real *x, *normed, *branch, *projected, *context, *hidden, *statistics, *weights, *scratch;
    real *moved;              /* one layer's own, for reordering */
    int *own_len, *cross_len; /* [rows,H] */
};

bool decoder_can_cache(const Config *config, ForwardOptions options) {
    return options.dropout == 0 && !options.dec_valid_lens && !options.not_causal &&
           !sites_mistaken(options.mistakes ? options.mistakes : config->mistakes);
}

/* --- making ----------------------------------------------------------------------------------- */

static int longest_of(const Decoder *decoder) {
    int targets = decoder->config->max_target;
    return int_max(targets, decoder->source_len);
}

static AttentionSizes sizes_of(const Decoder *decoder, int keys) {
    const Config *config = decoder->config;
    return (AttentionSizes){decoder->rows, config->heads, 1, keys, config_head_width(config)};
}

static void decoder_place(Decoder *decoder, Arena *arena) {
    const Config *config = decoder->config;
    long rows = decoder->rows, width = config->width;
    long own = rows * config->max_target * 2 * width;
    long sources = (decoder->copies > 1 ? 1 : rows) * decoder->source_len;
    for (int layer = 0; layer < config->decoder_layers; layer++) {
        decoder->layers[layer].own = arena_take(arena, own);
        decoder->layers[layer].cross = arena_take(arena, sources * 2 * width);
    }
    int longest = longest_of(decoder);
    decoder->moved = arena_take(arena, decoder->copies > 1 ? own : 0);
    decoder->x = arena_take(arena, rows * width);
    decoder->normed = arena_take(arena, rows * width);
    decoder->branch = arena_take(arena, rows * width);
    decoder->projected = arena_take(arena, rows * 3 * width);
    decoder->context = arena_take(arena, rows * width);
    decoder->hidden = arena_take(arena, 2 * rows * config->ffn_width);
    decoder->statistics = arena_take(arena, 2 * rows);
    decoder->weights = arena_take(arena, rows * config->heads * attention_row(longest));
    decoder->scratch = arena_take(arena, attention_scratch(sizes_of(decoder, longest)));
}

static AttentionParams cross_params(const Decoder *decoder, int layer) {
    return attention_params_used(decoder->params->decoder[layer].cross_attention, decoder->config);
}

/* Places the decoder's arrays in the workspace's block for them, which grows only when needed. */
static bool take_room(Decoder *decoder, Workspace *workspace) {
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

/* Of a workspace that holds the encoded sources. */
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
    decoder->ablation = options.ablation;
    decoder->rows = copies > 1 ? copies : sources->size;
    decoder->source_len = sources->source_len;
    decoder->layers = calloc((size_t)config->decoder_layers, sizeof *decoder->layers);
    decoder->own_len = calloc(2 * (size_t)decoder->rows * (size_t)config->heads, sizeof(int));
    if (!decoder->layers || !decoder->own_len) goto no_memory;
    if (!take_room(decoder, workspace)) goto no_memory;
    decoder->positions = workspace->positions;
    decoder->cross_len = decoder->own_len + decoder->rows * config->heads;
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
    free(decoder->own_len);
    free(decoder);
}

/* --- one step --------------------------------------------------------------------------------- */

static void norm_rows(Decoder *decoder, real *y, const real *x, NormParams norm) {
    layernorm_forward(y, decoder->statistics, decoder->statistics + decoder->rows, x, norm,
                      decoder->rows, decoder->config->width,
                      (real)decoder->config->layernorm_epsilon);
}

static const real *branch_input(Decoder *decoder, NormParams norm) {
    if (!decoder->config->pre_norm) return decoder->x;
    norm_rows(decoder, decoder->normed, decoder->x, norm);
    return decoder->normed;
}

static void branch_add(Decoder *decoder, NormParams norm) {
    kernels_in_use()->add(decoder->x, decoder->branch,
                          (long)decoder->rows * decoder->config->width);
    if (!decoder->config->pre_norm) norm_rows(decoder, decoder->x, decoder->x, norm);
}

/* One query a row over `keys` cached keys; a row's keys start `example` reals after its
 * neighbour's. */
static void attend(Decoder *decoder, HeadTensor query, real *cached, long example, int keys,
                   const int *key_len, LinearParams out, LayerAblation ablation) {
    int width = decoder->config->width, head_width = config_head_width(decoder->config);
    HeadFold fold = head_fold(keys, 2L * width, head_width);
    fold.example = example;
    Attention call = {
        .sizes = sizes_of(decoder, keys),
        .query = query,
        .key = {cached, fold},
        .value = {cached + width, fold},
        .context = {decoder->context, head_fold(1, width, head_width)},
        .weights = decoder->weights,
        .key_len = key_len,
        .scale = 1 / real_sqrt((real)head_width),
    };
    attention_forward(&call, decoder->scratch);
    ablation_apply(ablation, decoder->context, decoder->rows);
    linear_forward(decoder->branch, decoder->context, out, decoder->rows, width, width);
}

static void self_attention_step(Decoder *decoder, const DecoderParams *params, int layer) {
    LayerCache cache = decoder->layers[layer];
    const Config *config = decoder->config;
    int width = config->width;
    long example = (long)config->max_target * 2 * width;
    AttentionParams attention = attention_params_used(params->self_attention, config);
    const real *input = branch_input(decoder, params->norm1);
    linear_forward(decoder->projected, input, attention.in, decoder->rows, 3 * width, width);
    for (int row = 0; row < decoder->rows; row++)
        memcpy(cache.own + row * example + (long)decoder->step * 2 * width,
               decoder->projected + (long)row * 3 * width + width,
               2 * (size_t)width * sizeof(real));
    HeadTensor query = {decoder->projected, head_fold(1, 3L * width, config_head_width(config))};
    attend(decoder, query, cache.own, example, decoder->step + 1, decoder->own_len, attention.out,
           (LayerAblation){decoder->ablation, SITE_DECODER, layer});
    branch_add(decoder, params->norm1);
}

static void cross_attention_step(Decoder *decoder, const DecoderParams *params, int layer) {
    LayerCache cache = decoder->layers[layer];
    const Config *config = decoder->config;
    int width = config->width;
    AttentionParams attention = attention_params_used(params->cross_attention, config);
    const real *input = branch_input(decoder, params->norm2);
    linear_forward(decoder->projected, input, attention.in, decoder->rows, width, width);
    HeadTensor query = {decoder->projected, head_fold(1, width, config_head_width(config))};
    long example = decoder->copies > 1 ? 0 : (long)decoder->source_len * 2 * width;
    attend(decoder, query, cache.cross, example, decoder->source_len, decoder->cross_len,
           attention.out, (LayerAblation){decoder->ablation, SITE_CROSS, layer});
    branch_add(decoder, params->norm2);
}

static void feedforward_step(Decoder *decoder, const DecoderParams *params) {
    const Config *config = decoder->config;
    FeedforwardSaved saved = {.hidden = decoder->hidden,
                              .before = decoder->hidden + (long)decoder->rows * config->ffn_width};
    const real *input = branch_input(decoder, params->norm3);
    feedforward_forward(decoder->branch, saved, input, params->linear1, params->linear2,
                        decoder->rows, config, (Dropout){0});
    branch_add(decoder, params->norm3);
}

void decoder_step(Decoder *decoder, const int *ids, real *logits) {
    const Config *config = decoder->config;
    const Params *params = decoder->params;
    int rows = decoder->rows;
    for (int i = 0; i < rows * config->heads; i++)
        decoder->own_len[i] = decoder->step + 1;
    embedding_forward(decoder->x, ids, params->target_embedding, decoder->positions, decoder->step,
                      rows, 1, config, (Dropout){0});
    for (int layer = 0; layer < config->decoder_layers; layer++) {
        self_attention_step(decoder, &params->decoder[layer], layer);
        cross_attention_step(decoder, &params->decoder[layer], layer);
        feedforward_step(decoder, &params->decoder[layer]);
    }
    if (config->final_norm) norm_rows(decoder, decoder->x, decoder->x, params->decoder_norm);
    linear_forward(logits, decoder->x, params->generator, rows, config->target_vocab,
                   config->width);
    decoder->step++;
}

void decoder_reorder(Decoder *decoder, const int *parents) {
    const Config *config = decoder->config;
    long example = (long)config->max_target * 2 * config->width;
    size_t used = (size_t)decoder->step * 2 * (size_t)config->width * sizeof(real);
    for (int layer = 0; layer < config->decoder_layers; layer++) {
        LayerCache *cache = &decoder->layers[layer];
        for (int row = 0; row < decoder->rows; row++)
            memcpy(decoder->moved + row * example, cache->own + parents[row] * example, used);
        real *old = cache->own;
        cache->own = decoder->moved;
        decoder->moved = old;
    }
}

/* --- what is written -------------------------------------------------------------------------- */

bool decoded_make(Decoded *decoded, int count, int most) {
    memset(decoded, 0, (size_t)count * sizeof *decoded);
    for (int i = 0; i < count; i++) {
        decoded[i].tokens = calloc((size_t)most, sizeof *decoded[i].tokens);
        decoded[i].log_probs = calloc((size_t)most, sizeof *decoded[i].log_probs);
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
        if (decoded[b].length > target_len) target_len = decoded[b].length;
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
