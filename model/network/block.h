/* Encoder and decoder blocks: sublayers (attention, feed-forward), each with its residual
 * connection and layer norm (Vaswani 2017 3.1; D2L 11.7.4 and 11.7.5). */
#ifndef HEADSCOPE_MODEL_NETWORK_BLOCK_H
#define HEADSCOPE_MODEL_NETWORK_BLOCK_H

#include "model/base/arena.h"
#include "model/network/layers.h"
#include "model/network/multihead.h"

/* One residual step around a branch (attention or feed-forward). Post-norm:
 * out = norm(x + dropout(branch(x))). Pre-norm: out = x + dropout(branch(norm(x))) (Xiong et al.
 * 2020).
 */
typedef struct StepSaved {
    real *sum;         /* [rows,W] x + dropout(branch) */
    real *normed;      /* [rows,W] the output of the norm */
    real *mean, *rstd; /* [rows] */
} StepSaved;

typedef struct EncoderSaved {
    const real *x; /* [B*S,W] the block's input */
    MultiheadSaved self_attention;
    FeedforwardSaved feedforward;
    StepSaved step1, step2;
} EncoderSaved;

typedef struct DecoderSaved {
    const real *x; /* [B*T,W] */
    MultiheadSaved self_attention, cross_attention;
    FeedforwardSaved feedforward;
    StepSaved step1, step2, step3;
} DecoderSaved;

/* Shared by all blocks of a pass. The scratch is for max(S,T) steps. */
typedef struct BlockContext {
    const Config *config;
    int batch, source_len, target_len;
    const int *key_len[SITE_COUNT];    /* [B,H,Tq] */
    bool mistaken[SITE_COUNT];         /* attention follows `rule` */
    AttentionRule rule[SITE_COUNT];    /* over packed tensors */
    double dropout;                    /* 0 outside training */
    uint64_t dropout_key;              /* different for each step and slice */
    const Ablation *ablation;          /* NULL: none; forward only */
    MultiheadCache *cache[SITE_COUNT]; /* of the current layer; NULL: none */
    real *branch;                      /* [rows,W] */
    real *d_branch, *d_input;          /* [rows,W]; backward only */
    real *d_hidden;                    /* [rows,F]; backward only */
    MultiheadScratch attention;
} BlockContext;

/* Places the arrays of one block, sizes taken from the context. */
void encoder_block_place(EncoderSaved *saved, const BlockContext *context, Arena *arena);
void decoder_block_place(DecoderSaved *saved, const BlockContext *context, Arena *arena);

/* Each returns its output [rows,W], which is in `saved`. `x` must stay valid until backward; if
 * backward is not run, x may be in the same `saved`. `encoded` is not read if SITE_CROSS has a
 * cache.
 */
const real *encoder_block_forward(EncoderSaved *saved, const real *x, const EncoderParams *params,
                                  const BlockContext *context, int layer);
const real *decoder_block_forward(DecoderSaved *saved, const real *x, const real *encoded,
                                  const DecoderParams *params, const BlockContext *context,
                                  int layer);

/* On entry d [rows,W] is the gradient of the output, on return that of x. d_params and d_encoded
 * `+=`.
 */
void encoder_block_backward(real *d, EncoderParams *d_params, const EncoderSaved *saved,
                            const EncoderParams *params, const BlockContext *context, int layer);
void decoder_block_backward(real *d, real *d_encoded, DecoderParams *d_params,
                            const DecoderSaved *saved, const real *encoded,
                            const DecoderParams *params, const BlockContext *context, int layer);

/* The sizes of one attention layer of a site. */
MultiheadSizes block_sizes(const BlockContext *context, Site site);

/* The attention parameters with biases NULL if the config turns them off. */
AttentionParams attention_params_used(AttentionParams params, const Config *config);

#endif
