#include "model/network/transformer.h"

#include <assert.h>
#include <stdlib.h>

#include "model/base/large_memory.h"
#include "model/base/minmax.h"
#include "model/base/rng.h"
#include "model/kernels/mask.h"
#include "model/network/embedding.h"
#include "model/network/layers.h"

enum { DROP_SOURCE = 1 << 20, DROP_TARGET }; /* dropout streams, not those of the blocks */

/* --- the workspace ---------------------------------------------------------------------------- */

static void final_norm_place(FinalNormSaved *saved, long rows, const Config *config, Arena *arena) {
    if (!config->final_norm) return;
    saved->normed = arena_take(arena, rows * config->width);
    saved->mean = arena_take(arena, rows);
    saved->rstd = arena_take(arena, rows);
}

static void place_gradients(Workspace *ws, const Config *config, long rows, Arena *arena) {
    BlockContext *context = &ws->context;
    context->d_branch = arena_take(arena, rows * config->width);
    context->d_input = arena_take(arena, rows * config->width);
    context->d_hidden = arena_take(arena, rows * config->ffn_width);
    context->attention.d_context = arena_take(arena, rows * config->width);
    context->attention.d_projected = arena_take(arena, 3 * rows * config->width);
    ws->d_steps = arena_take(arena, rows * config->width);
    ws->d_encoded = arena_take(arena, (long)context->batch * context->source_len * config->width);
}

/* Takes every array from the arena: counts if its block is NULL, else places. */
static void workspace_place(Workspace *ws, bool training, Arena *arena) {
    BlockContext *context = &ws->context;
    const Config *config = context->config;
    int steps = int_max(context->source_len, context->target_len);
    long sources = (long)context->batch * context->source_len;
    long targets = (long)context->batch * context->target_len;
    long rows = (long)context->batch * steps;
    ws->source_embedded = arena_take(arena, sources * config->width);
    ws->target_embedded = arena_take(arena, targets * config->width);
    EncoderSaved uncounted_encoder;
    DecoderSaved uncounted_decoder;
    for (int layer = 0; layer < config->encoder_layers; layer++)
        encoder_block_place(arena->block ? &ws->encoder[layer] : &uncounted_encoder, context,
                            arena);
    for (int layer = 0; layer < config->decoder_layers; layer++)
        decoder_block_place(arena->block ? &ws->decoder[layer] : &uncounted_decoder, context,
                            arena);
    final_norm_place(&ws->encoder_norm, sources, config, arena);
    final_norm_place(&ws->decoder_norm, targets, config, arena);
    ws->logits = arena_take(arena, targets * config->target_vocab);
    context->branch = arena_take(arena, rows * config->width);
    AttentionSizes largest = {context->batch, config->heads, steps, steps,
                              config_head_width(config)};
    context->attention.attention = arena_take(arena, attention_scratch(largest));
    if (training) place_gradients(ws, config, rows, arena);
}

static Workspace workspace_shape(const Config *config, int batch, int source_len, int target_len) {
    return (Workspace){
        .context = {
            .config = config, .batch = batch, .source_len = source_len, .target_len = target_len}};
}

/* Plus one, since a slice of a batch may have only empty examples. */
static long key_len_count(const Config *config, int batch, int source_len, int target_len) {
    return (long)batch * config->heads * (source_len + 2L * target_len) + 1;
}

static AttentionSizes site_sizes(const BlockContext *context, Site site) {
    return multihead_attention_sizes(block_sizes(context, site));
}

/* Where the masks of a site start in key_len. */
static long site_start(const BlockContext *context, Site site) {
    long start = 0;
    for (int before = 0; before < (int)site; before++) {
        AttentionSizes n = site_sizes(context, (Site)before);
        start += (long)n.batch * n.heads * n.queries;
    }
    return start;
}

/* How many ints and doubles passes by a rule need. */
typedef struct RuleSizes {
    long ints, doubles;
} RuleSizes;

static RuleSizes rule_sizes(const BlockContext *context, bool training) {
    RuleSizes sizes = {2 * key_len_count(context->config, context->batch, context->source_len,
                                         context->target_len),
                       1};
    for (int site = 0; site < SITE_COUNT; site++) {
        long needed = attention_by_rule_scratch(site_sizes(context, (Site)site), training);
        if (needed > sizes.doubles) sizes.doubles = needed;
    }
    return sizes;
}

long workspace_bytes(const Config *config, int batch, int source_len, int target_len,
                     bool training) {
    Workspace counted = workspace_shape(config, batch, source_len, target_len);
    Arena arena = {0};
    workspace_place(&counted, training, &arena);
    long positions = (long)int_max(source_len, target_len) * config->width;
    RuleSizes sizes = {0};
    if (config_mistaken(config)) sizes = rule_sizes(&counted.context, training);
    return (arena.used + positions) * (long)sizeof(real) + sizes.doubles * (long)sizeof(double) +
           (key_len_count(config, batch, source_len, target_len) + sizes.ints) * (long)sizeof(int);
}

bool workspace_fit_positions(Workspace *ws, const Config *config, int steps, Error *error) {
    if (steps <= ws->positions_ready) return true;
    free(ws->positions);
    ws->positions = malloc((size_t)steps * (size_t)config->width * sizeof *ws->positions);
    ws->positions_ready = ws->positions ? steps : 0;
    if (!ws->positions) return error_set(error, "out of memory for %d positions", steps);
    embedding_positions(ws->positions, steps, config);
    return true;
}

static bool workspace_grow(Workspace *ws, const Config *config, long reals, long counts,
                           Error *error) {
    if (!ws->encoder) ws->encoder = calloc((size_t)config->encoder_layers, sizeof *ws->encoder);
    if (!ws->decoder) ws->decoder = calloc((size_t)config->decoder_layers, sizeof *ws->decoder);
    if (!ws->block || reals > ws->capacity) {
        large_memory_free(ws->block, (size_t)ws->capacity * sizeof *ws->block);
        ws->block = large_memory((size_t)reals * sizeof *ws->block);
        ws->capacity = ws->block ? reals : 0;
    }
    if (counts > ws->key_len_capacity) {
        free(ws->key_len);
        ws->key_len = malloc((size_t)counts * sizeof *ws->key_len);
        ws->key_len_capacity = ws->key_len ? counts : 0;
    }
    int steps = int_max(ws->context.source_len, ws->context.target_len);
    if (!workspace_fit_positions(ws, config, steps, error)) return false;
    if (ws->encoder && ws->decoder && ws->block && ws->key_len) return true;
    return error_set(error, "out of memory for a workspace of %.0f MB",
                     (double)reals * sizeof(real) / 1e6);
}

static bool mistakes_fit(Workspace *ws, Error *error) {
    RuleSizes sizes = rule_sizes(&ws->context, ws->context.d_branch != NULL);
    if (sizes.ints > ws->rule_int_capacity) {
        free(ws->rule_ints);
        ws->rule_ints = malloc((size_t)sizes.ints * sizeof *ws->rule_ints);
        ws->rule_int_capacity = ws->rule_ints ? sizes.ints : 0;
    }
    if (sizes.doubles > ws->rule_scratch_capacity) {
        free(ws->rule_scratch);
        ws->rule_scratch = malloc((size_t)sizes.doubles * sizeof *ws->rule_scratch);
        ws->rule_scratch_capacity = ws->rule_scratch ? sizes.doubles : 0;
    }
    ws->context.attention.by_rule = ws->rule_scratch;
    if (ws->rule_ints && ws->rule_scratch) return true;
    return error_set(error, "out of memory for attention by the plain kernel");
}

bool workspace_fit(Workspace *ws, const Config *config, int batch, int source_len, int target_len,
                   bool training, Error *error) {
    if (!linear_prepare(error)) return false;
    Workspace shape = workspace_shape(config, batch, source_len, target_len);
    Arena count = {0};
    workspace_place(&shape, training, &count);
    long counts = key_len_count(config, batch, source_len, target_len);
    ws->context = shape.context;
    if (!workspace_grow(ws, config, count.used, counts, error)) return false;
    Arena place = {.block = ws->block};
    workspace_place(ws, training, &place);
    return !config_mistaken(config) || mistakes_fit(ws, error);
}

bool workspace_fit_mistakes(Workspace *ws, const AttentionMistakes *mistakes, Error *error) {
    return !mistakes || mistakes_fit(ws, error);
}

MultiheadSaved workspace_attention(const Workspace *ws, Site site, int layer) {
    return site == SITE_ENCODER   ? ws->encoder[layer].self_attention
           : site == SITE_DECODER ? ws->decoder[layer].self_attention
                                  : ws->decoder[layer].cross_attention;
}

void workspace_free(Workspace *ws) {
    free(ws->encoder);
    free(ws->decoder);
    free(ws->positions);
    free(ws->key_len);
    free(ws->rule_ints);
    free(ws->rule_scratch);
    large_memory_free(ws->decoder_block, (size_t)ws->decoder_capacity * sizeof(real));
    large_memory_free(ws->block, (size_t)ws->capacity * sizeof(real));
    *ws = (Workspace){0};
}

/* --- forward ---------------------------------------------------------------------------------- */

static Dropout drop_embedding(const BlockContext *context, uint64_t stream) {
    return dropout_make(context->dropout, rng_mix(context->dropout_key ^ rng_mix(stream)));
}

static const real *final_norm_forward(FinalNormSaved *saved, const real *x, NormParams norm,
                                      int rows, const Config *config) {
    if (!config->final_norm) return x;
    saved->x = x;
    layernorm_forward(saved->normed, saved->mean, saved->rstd, x, norm, rows, config->width,
                      (real)config->layernorm_epsilon);
    return saved->normed;
}

static const int *source_lens(const Batch *batch, ForwardOptions options) {
    return options.enc_valid_lens ? options.enc_valid_lens : batch->enc_valid_lens;
}

static const int *target_lens(const Batch *batch, ForwardOptions options) {
    return options.dec_valid_lens ? options.dec_valid_lens : batch->dec_valid_lens;
}

/* How many keys a map of that rule shows: all, if masked keys have a weight too. */
static void fill_visible(int *key_len, const AttentionRule *rule, AttentionSizes n) {
    bool leaks = rule->mask == MASK_ADDS || rule->mask == MASK_FILLS;
    for (long row = 0; row < (long)n.batch * n.heads * n.queries; row++) {
        bool is_empty = rule->key_first[row] >= rule->key_end[row];
        key_len[row] = leaks || (is_empty && rule->empty) ? n.keys : rule->key_end[row];
    }
}

/* Sets the masks of a site for all its layers. */
static void site_begin(Workspace *ws, Site site, const int *valid_lens, bool causal,
                       ForwardOptions options) {
    BlockContext *context = &ws->context;
    AttentionSizes n = site_sizes(context, site);
    int *key_len = ws->key_len + site_start(context, site);
    context->key_len[site] = key_len;
    const AttentionMistakes *mistakes =
        options.mistakes ? options.mistakes : context->config->mistakes;
    context->mistaken[site] = attention_mistaken(mistakes[site]);
    if (context->mistaken[site]) {
        assert(context->attention.by_rule);
        MaskSource mask = {.valid_lens = valid_lens, .causal = causal};
        context->rule[site] = attention_rule_make(mistakes[site], mask, n,
                                                  ws->rule_ints + 2 * site_start(context, site));
        fill_visible(key_len, &context->rule[site], n);
    } else {
        mask_fill(key_len, valid_lens, n.batch, n.heads, n.queries, causal);
    }
}

void transformer_encode(Workspace *ws, const Params *params, const Batch *batch,
                        ForwardOptions options) {
    BlockContext *context = &ws->context;
    const Config *config = context->config;
    context->dropout = options.dropout;
    context->dropout_key = options.dropout_key;
    context->ablation = options.ablation;
    site_begin(ws, SITE_ENCODER, source_lens(batch, options), false, options);
    embedding_forward(ws->source_embedded, batch->source, params->source_embedding, ws->positions,
                      0, batch->size, batch->source_len, config,
                      drop_embedding(context, DROP_SOURCE));
    const real *x = ws->source_embedded;
    for (int layer = 0; layer < config->encoder_layers; layer++)
        x = encoder_block_forward(&ws->encoder[layer], x, &params->encoder[layer], context, layer);
    ws->encoded = final_norm_forward(&ws->encoder_norm, x, params->encoder_norm,
                                     batch->size * batch->source_len, config);
}

void transformer_forward(Workspace *ws, const Params *params, const Batch *batch,
                         ForwardOptions options) {
    transformer_encode(ws, params, batch, options);
    BlockContext *context = &ws->context;
    const Config *config = context->config;
    int rows = batch->size * batch->target_len;
    site_begin(ws, SITE_DECODER, target_lens(batch, options), !options.not_causal, options);
    site_begin(ws, SITE_CROSS, source_lens(batch, options), false, options);
    embedding_forward(ws->target_embedded, batch->target_in, params->target_embedding,
                      ws->positions, 0, batch->size, batch->target_len, config,
                      drop_embedding(context, DROP_TARGET));
    const real *x = ws->target_embedded;
    for (int layer = 0; layer < config->decoder_layers; layer++)
        x = decoder_block_forward(&ws->decoder[layer], x, ws->encoded, &params->decoder[layer],
                                  context, layer);
    ws->decoded = final_norm_forward(&ws->decoder_norm, x, params->decoder_norm, rows, config);
    linear_forward(ws->logits, ws->decoded, params->generator, rows, config->target_vocab,
                   config->width);
}

/* --- backward --------------------------------------------------------------------------------- */

static void final_norm_backward(real *d, NormParams d_norm, const FinalNormSaved *saved,
                                NormParams norm, int rows, const Config *config) {
    if (config->final_norm)
        layernorm_backward(d, d_norm, d, saved->mean, saved->rstd, saved->x, norm, rows,
                           config->width);
}

void transformer_backward(Params *gradient, Workspace *ws, const Params *params, const Batch *batch,
                          ForwardOptions options) {
    assert(!options.ablation && !options.enc_valid_lens && !options.dec_valid_lens &&
           !options.not_causal);
    BlockContext *context = &ws->context;
    const Config *config = context->config;
    context->dropout = options.dropout;
    context->dropout_key = options.dropout_key;
    int source_rows = batch->size * batch->source_len;
    int target_rows = batch->size * batch->target_len;
    for (long i = 0; i < (long)source_rows * config->width; i++)
        ws->d_encoded[i] = 0;

    linear_backward(ws->d_steps, 0, gradient->generator, ws->logits, ws->decoded, params->generator,
                    target_rows, config->target_vocab, config->width);
    final_norm_backward(ws->d_steps, gradient->decoder_norm, &ws->decoder_norm,
                        params->decoder_norm, target_rows, config);
    for (int layer = config->decoder_layers - 1; layer >= 0; layer--)
        decoder_block_backward(ws->d_steps, ws->d_encoded, &gradient->decoder[layer],
                               &ws->decoder[layer], ws->encoded, &params->decoder[layer], context,
                               layer);
    embedding_backward(gradient->target_embedding, ws->d_steps, batch->target_in, batch->size,
                       batch->target_len, config, drop_embedding(context, DROP_TARGET));

    final_norm_backward(ws->d_encoded, gradient->encoder_norm, &ws->encoder_norm,
                        params->encoder_norm, source_rows, config);
    for (int layer = config->encoder_layers - 1; layer >= 0; layer--)
        encoder_block_backward(ws->d_encoded, &gradient->encoder[layer], &ws->encoder[layer],
                               &params->encoder[layer], context, layer);
    embedding_backward(gradient->source_embedding, ws->d_encoded, batch->source, batch->size,
                       batch->source_len, config, drop_embedding(context, DROP_SOURCE));
}
