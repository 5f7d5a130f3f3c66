#include "model/network/block.h"

#include "model/base/rng.h"
#include "model/kernels/kernels.h"
#include "model/network/layers.h"

/* The tensors of a block that dropout applies to. */
typedef enum DropSite {
    DROP_SELF_WEIGHTS,
    DROP_SELF_BRANCH,
    DROP_CROSS_WEIGHTS,
    DROP_CROSS_BRANCH,
    DROP_HIDDEN,
    DROP_FEEDFORWARD_BRANCH,
    DROP_SITES,
} DropSite;

enum { DECODER_STREAMS = 1 << 16 };

static Dropout drop_at(const BlockContext *context, int layer, bool decoder, DropSite site) {
    uint64_t stream = (uint64_t)(layer * DROP_SITES + (int)site + (decoder ? DECODER_STREAMS : 0));
    return dropout_make(context->dropout, rng_mix(context->dropout_key ^ rng_mix(stream + 1)));
}

static Dropout drop_attention(const BlockContext *context, Site site, int layer) {
    return drop_at(context, layer, site != SITE_ENCODER,
                   site == SITE_CROSS ? DROP_CROSS_BRANCH : DROP_SELF_BRANCH);
}

/* The options of an attention layer, forward and backward. */
static MultiheadOptions options_at(const BlockContext *context, Site site, int layer) {
    return (MultiheadOptions){
        .key_len = context->key_len[site],
        .rule = context->mistaken[site] ? &context->rule[site] : (const AttentionRule *)0,
        .dropout = drop_at(context, layer, site != SITE_ENCODER,
                           site == SITE_CROSS ? DROP_CROSS_WEIGHTS : DROP_SELF_WEIGHTS),
        .ablation = {context->ablation, site, layer},
        .cache = context->cache[site],
    };
}

AttentionParams attention_params_used(AttentionParams params, const Config *config) {
    if (!config->attention_bias) params.in.bias = params.out.bias = (real *)0;
    return params;
}

MultiheadSizes block_sizes(const BlockContext *context, Site site) {
    return (MultiheadSizes){context->batch,
                            site == SITE_ENCODER ? context->source_len : context->target_len,
                            site == SITE_DECODER ? context->target_len : context->source_len,
                            context->config->width, context->config->heads};
}

/* --- the residual step ------------------------------------------------------------------------ */

/* Returns the input of the branch. */
static const real *step_enter(StepSaved saved, const real *x, NormParams norm, int rows,
                              const Config *config) {
    if (!config->pre_norm) return x;
    layernorm_forward(saved.normed, saved.mean, saved.rstd, x, norm, rows, config->width,
                      (real)config->layernorm_epsilon);
    return saved.normed;
}

/* Returns the output of the step, given that of the branch. */
static const real *step_leave(StepSaved saved, const real *x, const real *branch, NormParams norm,
                              int rows, const Config *config, Dropout dropout) {
    kernels_in_use()->add_dropped(saved.sum, x, branch, dropout, (long)rows * config->width);
    if (config->pre_norm) return saved.sum;
    layernorm_forward(saved.normed, saved.mean, saved.rstd, saved.sum, norm, rows, config->width,
                      (real)config->layernorm_epsilon);
    return saved.normed;
}

/* On entry d is the gradient of the output, on return that of x along the residual connection.
 * Returns the gradient of the branch's output: d itself without dropout, else d_branch. */
static const real *step_leave_backward(real *d, real *d_branch, NormParams d_norm, StepSaved saved,
                                       NormParams norm, int rows, const Config *config,
                                       Dropout dropout) {
    if (!config->pre_norm)
        layernorm_backward(d, d_norm, d, saved.mean, saved.rstd, saved.sum, norm, rows,
                           config->width);
    if (!dropout.threshold) return d;
    kernels_in_use()->drop(d_branch, d, dropout, (long)rows * config->width);
    return d_branch;
}

/* Adds the gradient through the branch, d_input, to d. Overwrites d_input. */
static void step_enter_backward(real *d, real *d_input, NormParams d_norm, StepSaved saved,
                                const real *x, NormParams norm, int rows, const Config *config) {
    if (config->pre_norm)
        layernorm_backward(d_input, d_norm, d_input, saved.mean, saved.rstd, x, norm, rows,
                           config->width);
    kernels_in_use()->add(d, d_input, (long)rows * config->width);
}

/* The input of the branch and the output of the step, as forward saved them. */
static const real *step_input(StepSaved saved, const real *x, const Config *config) {
    return config->pre_norm ? saved.normed : x;
}

static const real *step_output(StepSaved saved, const Config *config) {
    return config->pre_norm ? saved.sum : saved.normed;
}

/* --- placement -------------------------------------------------------------------------------- */

static void step_place(StepSaved *saved, long rows, int width, Arena *arena) {
    saved->sum = arena_take(arena, rows * width);
    saved->normed = arena_take(arena, rows * width);
    saved->mean = arena_take(arena, rows);
    saved->rstd = arena_take(arena, rows);
}

static void multihead_place(MultiheadSaved *saved, MultiheadSizes n, Arena *arena) {
    saved->projected = arena_take(arena, multihead_projected_size(n));
    saved->context = arena_take(arena, (long)n.batch * n.queries * n.width);
    saved->weights = arena_take(arena, (long)n.batch * n.heads * n.queries * attention_row(n.keys));
}

static void feedforward_place(FeedforwardSaved *saved, long rows, const Config *config,
                              Arena *arena) {
    bool needs_before = config->activation != ACTIVATION_RELU;
    saved->before = needs_before ? arena_take(arena, rows * config->ffn_width) : (real *)0;
    saved->hidden = arena_take(arena, rows * config->ffn_width);
}

void encoder_block_place(EncoderSaved *saved, const BlockContext *context, Arena *arena) {
    long rows = (long)context->batch * context->source_len;
    int width = context->config->width;
    multihead_place(&saved->self_attention, block_sizes(context, SITE_ENCODER), arena);
    step_place(&saved->step1, rows, width, arena);
    feedforward_place(&saved->feedforward, rows, context->config, arena);
    step_place(&saved->step2, rows, width, arena);
}

void decoder_block_place(DecoderSaved *saved, const BlockContext *context, Arena *arena) {
    long rows = (long)context->batch * context->target_len;
    int width = context->config->width;
    multihead_place(&saved->self_attention, block_sizes(context, SITE_DECODER), arena);
    step_place(&saved->step1, rows, width, arena);
    multihead_place(&saved->cross_attention, block_sizes(context, SITE_CROSS), arena);
    step_place(&saved->step2, rows, width, arena);
    feedforward_place(&saved->feedforward, rows, context->config, arena);
    step_place(&saved->step3, rows, width, arena);
}

/* --- steps ------------------------------------------------------------------------------------ */

/* Attention reads keys and values from `encoded` at SITE_CROSS, else from its own input. */
static const real *attention_step_forward(StepSaved step, MultiheadSaved saved, const real *x,
                                          const real *encoded, AttentionParams params,
                                          NormParams norm, const BlockContext *context, Site site,
                                          int layer) {
    const Config *config = context->config;
    MultiheadSizes n = block_sizes(context, site);
    int rows = n.batch * n.queries;
    const real *input = step_enter(step, x, norm, rows, config);
    multihead_forward(context->branch, saved, input, site == SITE_CROSS ? encoded : input,
                      attention_params_used(params, config), n, options_at(context, site, layer),
                      context->attention);
    return step_leave(step, x, context->branch, norm, rows, config,
                      drop_attention(context, site, layer));
}

/* On entry d is the gradient of the output, on return that of x. */
static void attention_step_backward(real *d, real *d_encoded, AttentionParams d_params,
                                    NormParams d_norm, StepSaved step, MultiheadSaved saved,
                                    const real *x, const real *encoded, AttentionParams params,
                                    NormParams norm, const BlockContext *context, Site site,
                                    int layer) {
    const Config *config = context->config;
    MultiheadSizes n = block_sizes(context, site);
    int rows = n.batch * n.queries;
    const real *input = step_input(step, x, config);
    const real *d_branch = step_leave_backward(d, context->d_branch, d_norm, step, norm, rows,
                                               config, drop_attention(context, site, layer));
    multihead_backward(context->d_input, d_encoded, attention_params_used(d_params, config),
                       d_branch, saved, input, site == SITE_CROSS ? encoded : input,
                       attention_params_used(params, config), n, options_at(context, site, layer),
                       context->attention);
    step_enter_backward(d, context->d_input, d_norm, step, x, norm, rows, config);
}

static const real *feedforward_step_forward(StepSaved step, FeedforwardSaved saved, const real *x,
                                            LinearParams linear1, LinearParams linear2,
                                            NormParams norm, int rows, const BlockContext *context,
                                            bool decoder, int layer) {
    const Config *config = context->config;
    const real *input = step_enter(step, x, norm, rows, config);
    feedforward_forward(context->branch, saved, input, linear1, linear2, rows, config,
                        drop_at(context, layer, decoder, DROP_HIDDEN));
    return step_leave(step, x, context->branch, norm, rows, config,
                      drop_at(context, layer, decoder, DROP_FEEDFORWARD_BRANCH));
}

static void feedforward_step_backward(real *d, LinearParams d_linear1, LinearParams d_linear2,
                                      NormParams d_norm, StepSaved step, FeedforwardSaved saved,
                                      const real *x, LinearParams linear1, LinearParams linear2,
                                      NormParams norm, int rows, const BlockContext *context,
                                      bool decoder, int layer) {
    const Config *config = context->config;
    const real *d_branch =
        step_leave_backward(d, context->d_branch, d_norm, step, norm, rows, config,
                            drop_at(context, layer, decoder, DROP_FEEDFORWARD_BRANCH));
    feedforward_backward(context->d_input, context->d_hidden, d_linear1, d_linear2, d_branch, saved,
                         step_input(step, x, config), linear1, linear2, rows, config,
                         drop_at(context, layer, decoder, DROP_HIDDEN));
    step_enter_backward(d, context->d_input, d_norm, step, x, norm, rows, config);
}

/* --- blocks ----------------------------------------------------------------------------------- */

const real *encoder_block_forward(EncoderSaved *saved, const real *x, const EncoderParams *params,
                                  const BlockContext *context, int layer) {
    saved->x = x;
    x = attention_step_forward(saved->step1, saved->self_attention, x, x, params->self_attention,
                               params->norm1, context, SITE_ENCODER, layer);
    return feedforward_step_forward(saved->step2, saved->feedforward, x, params->linear1,
                                    params->linear2, params->norm2,
                                    context->batch * context->source_len, context, false, layer);
}

void encoder_block_backward(real *d, EncoderParams *d_params, const EncoderSaved *saved,
                            const EncoderParams *params, const BlockContext *context, int layer) {
    const real *after_self = step_output(saved->step1, context->config);
    feedforward_step_backward(d, d_params->linear1, d_params->linear2, d_params->norm2,
                              saved->step2, saved->feedforward, after_self, params->linear1,
                              params->linear2, params->norm2, context->batch * context->source_len,
                              context, false, layer);
    attention_step_backward(d, (real *)0, d_params->self_attention, d_params->norm1, saved->step1,
                            saved->self_attention, saved->x, (const real *)0,
                            params->self_attention, params->norm1, context, SITE_ENCODER, layer);
}

const real *decoder_block_forward(DecoderSaved *saved, const real *x, const real *encoded,
                                  const DecoderParams *params, const BlockContext *context,
                                  int layer) {
    saved->x = x;
    x = attention_step_forward(saved->step1, saved->self_attention, x, encoded,
                               params->self_attention, params->norm1, context, SITE_DECODER, layer);
    x = attention_step_forward(saved->step2, saved->cross_attention, x, encoded,
                               params->cross_attention, params->norm2, context, SITE_CROSS, layer);
    return feedforward_step_forward(saved->step3, saved->feedforward, x, params->linear1,
                                    params->linear2, params->norm3,
                                    context->batch * context->target_len, context, true, layer);
}

void decoder_block_backward(real *d, real *d_encoded, DecoderParams *d_params,
                            const DecoderSaved *saved, const real *encoded,
                            const DecoderParams *params, const BlockContext *context, int layer) {
    const real *after_self = step_output(saved->step1, context->config);
    const real *after_cross = step_output(saved->step2, context->config);
    feedforward_step_backward(d, d_params->linear1, d_params->linear2, d_params->norm3,
                              saved->step3, saved->feedforward, after_cross, params->linear1,
                              params->linear2, params->norm3, context->batch * context->target_len,
                              context, true, layer);
    attention_step_backward(d, d_encoded, d_params->cross_attention, d_params->norm2, saved->step2,
                            saved->cross_attention, after_self, encoded, params->cross_attention,
                            params->norm2, context, SITE_CROSS, layer);
    attention_step_backward(d, (real *)0, d_params->self_attention, d_params->norm1, saved->step1,
                            saved->self_attention, saved->x, encoded, params->self_attention,
                            params->norm1, context, SITE_DECODER, layer);
}
