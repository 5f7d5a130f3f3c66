#include "model/decode.h"

#include <stdlib.h>
#include <string.h>

#include "model/embedding.h"
#include "model/kernels.h"
#include "model/layernorm.h"
#include "model/linear.h"
#include "model/loss.h"
#include "model/mask.h"

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
    LayerCache *layers; /* [decoder_layers] */
    real *positions;    /* [max_target,W] */
    real *x, *normed, *branch, *projected, *context, *hidden, *statistics, *weights, *scratch;
    real *moved;              /* one layer's own, for reordering */
    int *own_len, *cross_len; /* [rows,H] */
    real *block;
};

/* --- making ----------------------------------------------------------------------------------- */

static int longest_of(const Decoder *decoder) {
    int targets = decoder->config->max_target;
    return targets > decoder->source_len ? targets : decoder->source_len;
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
    decoder->positions = arena_take(arena, config->max_target * width);
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

Decoder *decoder_make(const Workspace *workspace, const Params *params, const Batch *sources,
                      int copies, Error *error) {
    const Config *config = workspace->context.config;
    Decoder *decoder = calloc(1, sizeof *decoder);
    if (!decoder) goto no_memory;
    decoder->config = config;
    decoder->params = params;
    decoder->copies = copies;
    decoder->rows = copies > 1 ? copies : sources->size;
    decoder->source_len = sources->source_len;
    decoder->layers = calloc((size_t)config->decoder_layers, sizeof *decoder->layers);
    decoder->own_len = calloc(2 * (size_t)decoder->rows * (size_t)config->heads, sizeof(int));
    if (!decoder->layers || !decoder->own_len) goto no_memory;
    Arena arena = {0};
    decoder_place(decoder, &arena);
    decoder->block = aligned_alloc(64, (size_t)arena.used * sizeof(real));
    if (!decoder->block) goto no_memory;
    arena = (Arena){.block = decoder->block};
    decoder_place(decoder, &arena);

    embedding_positions(decoder->positions, config->max_target, config);
    decoder->cross_len = decoder->own_len + decoder->rows * config->heads;
    for (int row = 0; row < decoder->rows; row++)
        mask_fill(decoder->cross_len + row * config->heads,
                  &sources->enc_valid_lens[copies > 1 ? 0 : row], 1, config->heads, 1, false);
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
                             const Batch *sources, int copies, Error *error) {
    if (!workspace_fit(workspace, config, sources->size, sources->source_len, 1, false, error))
        return NULL;
    transformer_encode(workspace, params, sources, (ForwardOptions){0});
    return decoder_make(workspace, params, sources, copies, error);
}

void decoder_free(Decoder *decoder) {
    if (!decoder) return;
    free(decoder->layers);
    free(decoder->own_len);
    free(decoder->block);
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
    kernels_best()->add(decoder->x, decoder->branch, (long)decoder->rows * decoder->config->width);
    if (!decoder->config->pre_norm) norm_rows(decoder, decoder->x, decoder->x, norm);
}

/* One query a row over `keys` cached keys; a row's keys start `example` reals after its
 * neighbour's. */
static void attend(Decoder *decoder, HeadTensor query, real *cached, long example, int keys,
                   const int *key_len, LinearParams out) {
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
    linear_forward(decoder->branch, decoder->context, out, decoder->rows, width, width);
}

static void self_attention_step(Decoder *decoder, const DecoderParams *params, LayerCache cache) {
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
    attend(decoder, query, cache.own, example, decoder->step + 1, decoder->own_len, attention.out);
    branch_add(decoder, params->norm1);
}

static void cross_attention_step(Decoder *decoder, const DecoderParams *params, LayerCache cache) {
    const Config *config = decoder->config;
    int width = config->width;
    AttentionParams attention = attention_params_used(params->cross_attention, config);
    const real *input = branch_input(decoder, params->norm2);
    linear_forward(decoder->projected, input, attention.in, decoder->rows, width, width);
    HeadTensor query = {decoder->projected, head_fold(1, width, config_head_width(config))};
    long example = decoder->copies > 1 ? 0 : (long)decoder->source_len * 2 * width;
    attend(decoder, query, cache.cross, example, decoder->source_len, decoder->cross_len,
           attention.out);
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
        self_attention_step(decoder, &params->decoder[layer], decoder->layers[layer]);
        cross_attention_step(decoder, &params->decoder[layer], decoder->layers[layer]);
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

/* --- greedy ----------------------------------------------------------------------------------- */

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

static double score_of(double sum, int length) {
    return sum / pow(length, 0.75);
}

static int best_of(const real *row, int count) {
    int best = 0;
    for (int i = 1; i < count; i++)
        if (row[i] > row[best]) best = i;
    return best;
}

/* Writes the best token of each unfinished row; returns how many rows go on. */
static int greedy_append(Decoded *out, int *ids, real *logits, int rows, const Config *config) {
    int going = 0;
    for (int row = 0; row < rows; row++) {
        Decoded *decoded = &out[row];
        bool finished = decoded->length > 0 && ids[row] == config->end_id;
        if (finished) continue;
        real *log_probs = logits + (long)row * config->target_vocab;
        loss_log_softmax(log_probs, config->target_vocab);
        ids[row] = best_of(log_probs, config->target_vocab);
        decoded->tokens[decoded->length] = ids[row];
        decoded->log_probs[decoded->length++] = (double)log_probs[ids[row]];
        going += ids[row] != config->end_id;
    }
    return going;
}

bool decode_greedy(Decoded *out, Workspace *workspace, const Config *config, const Params *params,
                   const Batch *sources, Error *error) {
    int rows = sources->size;
    if (!decoded_make(out, rows, config->max_target))
        return error_set(error, "out of memory for %d outputs", rows);
    Decoder *decoder = decoder_for_sources(workspace, config, params, sources, 1, error);
    int *ids = malloc((size_t)rows * sizeof *ids);
    real *logits = malloc((size_t)rows * (size_t)config->target_vocab * sizeof *logits);
    bool ready = decoder && ids && logits;
    if (decoder && !ready) error_set(error, "out of memory for decoding");
    if (ready) {
        for (int row = 0; row < rows; row++)
            ids[row] = config->start_id;
        int going = rows;
        for (int step = 0; going > 0 && step < config->max_target; step++) {
            decoder_step(decoder, ids, logits);
            going = greedy_append(out, ids, logits, rows, config);
        }
        for (int row = 0; row < rows; row++) {
            double sum = 0;
            for (int i = 0; i < out[row].length; i++)
                sum += out[row].log_probs[i];
            out[row].score = score_of(sum, out[row].length);
        }
    } else {
        decoded_free(out, rows);
    }
    decoder_free(decoder);
    free(ids);
    free(logits);
    return ready;
}
