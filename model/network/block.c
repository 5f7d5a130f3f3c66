#include "model/network/block.h"

#include "model/base/rng.h"
#include "model/kernels/kernels.h"
#include "model/network/layernorm.h"

/* The tensors of a block that dropout acts on. */
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

/* How a layer of a site is called, forward and backward. */
static MultiheadWay way_at(const BlockContext *context, Site site, int layer) {
    return (MultiheadWay){
        .key_len = context->key_len[site],
        .rule = context->mistaken[site] ? &context->rule[site] : (const AttentionRule *)0,
        .dropout = drop_at(context, layer, site != SITE_ENCODER,
                           site == SITE_CROSS ? DROP_CROSS_WEIGHTS : DROP_SELF_WEIGHTS),
        .ablation = {context->ablation, site, layer},
    };
}

AttentionParams attention_params_used(AttentionParams params, const Config *config) {
    if (!config->attention_bias) params.in.bias = params.out.bias = (real *)0;
    return params;
}

static MultiheadSizes self_sizes(const BlockContext *context, int steps) {
    return (MultiheadSizes){context->batch, steps, steps, context->config->width,
                            context->config->heads};
}

static MultiheadSizes cross_sizes(const BlockContext *context) {
    return (MultiheadSizes){context->batch, context->target_len, context->source_len,
                            context->config->width, context->config->heads};
}

/* --- the residual step ------------------------------------------------------------------------ */

/* What the branch reads. */
static const real *step_enter(StepSaved saved, const real *x, NormParams norm, int rows,
                              const Config *config) {
    if (!config->pre_norm) return x;
    layernorm_forward(saved.normed, saved.mean, saved.rstd, x, norm, rows, config->width,
                      (real)config->layernorm_epsilon);
    return saved.normed;
}

/* The step's output, given what the branch wrote. */
static const real *step_leave(StepSaved saved, const real *x, const real *branch, NormParams norm,
                              int rows, const Config *config, Dropout dropout) {
    kernels_in_use()->add_dropped(saved.sum, x, branch, dropout, (long)rows * config->width);
    if (config->pre_norm) return saved.sum;
    layernorm_forward(saved.normed, saved.mean, saved.rstd, saved.sum, norm, rows, config->width,
                      (real)config->layernorm_epsilon);
    return saved.normed;
}

/* d: of the output, then of x along the residual connection. Returns the gradient of what the
 * branch wrote: d itself where nothing was dropped, else in d_branch. */
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

/* Adds to d what came back through the branch. Writes over d_input. */
static void step_enter_backward(real *d, real *d_input, NormParams d_norm, StepSaved saved,
                                const real *x, NormParams norm, int rows, const Config *config) {
    if (config->pre_norm)
        layernorm_backward(d_input, d_norm, d_input, saved.mean, saved.rstd, x, norm, rows,
                           config->width);
    kernels_in_use()->add(d, d_input, (long)rows * config->width);
}

/* What the branch read in forward, and what a step gave. */
static const real *step_input(StepSaved saved, const real *x, const Config *config) {
    return config->pre_norm ? saved.normed : x;
}

static const real *step_output(StepSaved saved, const Config *config) {
    return config->pre_norm ? saved.sum : saved.normed;
}

/* --- places ----------------------------------------------------------------------------------- */

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
    multihead_place(&saved->self_attention, self_sizes(context, context->source_len), arena);
    step_place(&saved->step1, rows, width, arena);
    feedforward_place(&saved->feedforward, rows, context->config, arena);
    step_place(&saved->step2, rows, width, arena);
}

void decoder_block_place(DecoderSaved *saved, const BlockContext *context, Arena *arena) {
    long rows = (long)context->batch * context->target_len;
    int width = context->config->width;
    multihead_place(&saved->self_attention, self_sizes(context, context->target_len), arena);
    step_place(&saved->step1, rows, width, arena);
    multihead_place(&saved->cross_attention, cross_sizes(context), arena);
    step_place(&saved->step2, rows, width, arena);
    feedforward_place(&saved->feedforward, rows, context->config, arena);
    step_place(&saved->step3, rows, width, arena);
}

/* --- encoder block ---------------------------------------------------------------------------- */

const real *encoder_block_forward(EncoderSaved *saved, const real *x, const EncoderParams *params,
                                  const BlockContext *context, int layer) {
    const Config *config = context->config;
    int rows = context->batch * context->source_len;
    saved->x = x;
    const real *input = step_enter(saved->step1, x, params->norm1, rows, config);
    multihead_forward(context->branch, saved->self_attention, input, input,
                      attention_params_used(params->self_attention, config),
                      self_sizes(context, context->source_len),
                      way_at(context, SITE_ENCODER, layer), context->attention);
    x = step_leave(saved->step1, x, context->branch, params->norm1, rows, config,
                   drop_at(context, layer, false, DROP_SELF_BRANCH));

    input = step_enter(saved->step2, x, params->norm2, rows, config);
    feedforward_forward(context->branch, saved->feedforward, input, params->linear1,
                        params->linear2, rows, config, drop_at(context, layer, false, DROP_HIDDEN));
    return step_leave(saved->step2, x, context->branch, params->norm2, rows, config,
                      drop_at(context, layer, false, DROP_FEEDFORWARD_BRANCH));
}

void encoder_block_backward(real *d, EncoderParams *d_params, const EncoderSaved *saved,
                            const EncoderParams *params, const BlockContext *context, int layer) {
    const Config *config = context->config;
    int rows = context->batch * context->source_len;
    const real *middle = step_output(saved->step1, config);
    const real *d_branch =
        step_leave_backward(d, context->d_branch, d_params->norm2, saved->step2, params->norm2,
                            rows, config, drop_at(context, layer, false, DROP_FEEDFORWARD_BRANCH));
    feedforward_backward(context->d_input, context->d_hidden, d_params->linear1, d_params->linear2,
                         d_branch, saved->feedforward, step_input(saved->step2, middle, config),
                         params->linear1, params->linear2, rows, config,
                         drop_at(context, layer, false, DROP_HIDDEN));
    step_enter_backward(d, context->d_input, d_params->norm2, saved->step2, middle, params->norm2,
                        rows, config);

    const real *input = step_input(saved->step1, saved->x, config);
    d_branch =
        step_leave_backward(d, context->d_branch, d_params->norm1, saved->step1, params->norm1,
                            rows, config, drop_at(context, layer, false, DROP_SELF_BRANCH));
    multihead_backward(context->d_input, (real *)0,
                       attention_params_used(d_params->self_attention, config), d_branch,
                       saved->self_attention, input, input,
                       attention_params_used(params->self_attention, config),
                       self_sizes(context, context->source_len),
                       way_at(context, SITE_ENCODER, layer), context->attention);
    step_enter_backward(d, context->d_input, d_params->norm1, saved->step1, saved->x, params->norm1,
                        rows, config);
}

/* --- decoder block ---------------------------------------------------------------------------- */

const real *decoder_block_forward(DecoderSaved *saved, const real *x, const real *encoded,
                                  const DecoderParams *params, const BlockContext *context,
                                  int layer) {
    const Config *config = context->config;
    int rows = context->batch * context->target_len;
    saved->x = x;
    const real *input = step_enter(saved->step1, x, params->norm1, rows, config);
    multihead_forward(context->branch, saved->self_attention, input, input,
                      attention_params_used(params->self_attention, config),
                      self_sizes(context, context->target_len),
                      way_at(context, SITE_DECODER, layer), context->attention);
    x = step_leave(saved->step1, x, context->branch, params->norm1, rows, config,
                   drop_at(context, layer, true, DROP_SELF_BRANCH));

    input = step_enter(saved->step2, x, params->norm2, rows, config);
    multihead_forward(context->branch, saved->cross_attention, input, encoded,
                      attention_params_used(params->cross_attention, config), cross_sizes(context),
                      way_at(context, SITE_CROSS, layer), context->attention);
    x = step_leave(saved->step2, x, context->branch, params->norm2, rows, config,
                   drop_at(context, layer, true, DROP_CROSS_BRANCH));

    input = step_enter(saved->step3, x, params->norm3, rows, config);
    feedforward_forward(context->branch, saved->feedforward, input, params->linear1,
                        params->linear2, rows, config, drop_at(context, layer, true, DROP_HIDDEN));
    return step_leave(saved->step3, x, context->branch, params->norm3, rows, config,
                      drop_at(context, layer, true, DROP_FEEDFORWARD_BRANCH));
}

void decoder_block_backward(real *d, real *d_encoded, DecoderParams *d_params,
                            const DecoderSaved *saved, const real *encoded,
                            const DecoderParams *params, const BlockContext *context, int layer) {
    const Config *config = context->config;
    int rows = context->batch * context->target_len;
    const real *after_self = step_output(saved->step1, config);
    const real *after_cross = step_output(saved->step2, config);
    const real *d_branch =
        step_leave_backward(d, context->d_branch, d_params->norm3, saved->step3, params->norm3,
                            rows, config, drop_at(context, layer, true, DROP_FEEDFORWARD_BRANCH));
    feedforward_backward(context->d_input, context->d_hidden, d_params->linear1, d_params->linear2,
                         d_branch, saved->feedforward,
                         step_input(saved->step3, after_cross, config), params->linear1,
                         params->linear2, rows, config, drop_at(context, layer, true, DROP_HIDDEN));
    step_enter_backward(d, context->d_input, d_params->norm3, saved->step3, after_cross,
                        params->norm3, rows, config);

    d_branch =
        step_leave_backward(d, context->d_branch, d_params->norm2, saved->step2, params->norm2,
                            rows, config, drop_at(context, layer, true, DROP_CROSS_BRANCH));
    multihead_backward(
        context->d_input, d_encoded, attention_params_used(d_params->cross_attention, config),
        d_branch, saved->cross_attention, step_input(saved->step2, after_self, config), encoded,
        attention_params_used(params->cross_attention, config), cross_sizes(context),
        way_at(context, SITE_CROSS, layer), context->attention);
    step_enter_backward(d, context->d_input, d_params->norm2, saved->step2, after_self,
                        params->norm2, rows, config);

    const real *input = step_input(saved->step1, saved->x, config);
    d_branch =
        step_leave_backward(d, context->d_branch, d_params->norm1, saved->step1, params->norm1,
                            rows, config, drop_at(context, layer, true, DROP_SELF_BRANCH));
    multihead_backward(context->d_input, (real *)0,
                       attention_params_used(d_params->self_attention, config), d_branch,
                       saved->self_attention, input, input,
                       attention_params_used(params->self_attention, config),
                       self_sizes(context, context->target_len),
                       way_at(context, SITE_DECODER, layer), context->attention);
    step_enter_backward(d, context->d_input, d_params->norm1, saved->step1, saved->x, params->norm1,
                        rows, config);
}
