/* The encoder-decoder transformer: forward and backward over a workspace (Vaswani 2017; D2L 11.7,
 * UDL 12). */
#ifndef HEADSCOPE_MODEL_NETWORK_TRANSFORMER_H
#define HEADSCOPE_MODEL_NETWORK_TRANSFORMER_H

#include "model/kernels/mistakes.h"
#include "model/network/batch.h"
#include "model/network/block.h"
#include "model/trace/trace.h"

/* Deviations of a pass from the plain model; {0} for none. */
typedef struct ForwardOptions {
    double dropout; /* the rate while training; 0: none */
    uint64_t dropout_key;
    const Ablation *ablation;  /* heads knocked out; NULL: none */
    const int *enc_valid_lens; /* [B] replaces the batch's, 0..S; NULL: the batch's own */
    const int *dec_valid_lens; /* [B] likewise, 0..T. Only masks change: all steps are computed. */
    bool not_causal;           /* decoder self-attention sees all of the dec_valid_lens keys */
    const AttentionMistakes *mistakes; /* [SITE_COUNT] replaces the config's (all {0}: no mistakes);
                                          NULL: the config's own. See workspace_fit_mistakes */
} ForwardOptions;

typedef struct FinalNormSaved {
    const real *x;
    real *normed, *mean, *rstd;
} FinalNormSaved;

/* The activations of one pass. Separate from the model: trainer and viewer each own one. */
typedef struct Workspace {
    BlockContext context;
    real *positions; /* [positions_ready,W], owned */
    int positions_ready;
    real *source_embedded, *target_embedded;
    EncoderSaved *encoder; /* [encoder_layers], owned */
    DecoderSaved *decoder; /* [decoder_layers], owned */
    FinalNormSaved encoder_norm, decoder_norm;
    const real *encoded;       /* [B*S,W] the encoder's outputs */
    const real *decoded;       /* [B*T,W] the input of the generator */
    real *logits;              /* [B*T,V]; backward reads their gradient here */
    real *d_steps, *d_encoded; /* [rows,W]; backward only */
    int *key_len;              /* owned: the masks of the three sites */
    long key_len_capacity;
    int *rule_ints;       /* owned: the masks of passes with mistakes */
    double *rule_scratch; /* owned: attention_by_rule_scratch */
    long rule_int_capacity, rule_scratch_capacity;
    real *block; /* owned */
    long capacity;
    real *decoder_block; /* owned: the arrays of a Decoder (model/decoding/decode.h) */
    long decoder_capacity;
} Workspace;

/* Prepares a workspace for batches of this shape, growing its block only if needed; `training` adds
 * the arrays of backward. The config must have passed config_check, and must outlive the workspace.
 */
bool workspace_fit(Workspace *workspace, const Config *config, int batch, int source_len,
                   int target_len, bool training, Error *error);
void workspace_free(Workspace *workspace);

/* The saved arrays of an attention layer. */
MultiheadSaved workspace_attention(const Workspace *workspace, Site site, int layer);

/* Extends the table of positions to at least `steps`. */
bool workspace_fit_positions(Workspace *workspace, const Config *config, int steps, Error *error);

/* After workspace_fit: adds the arrays for passes with ForwardOptions.mistakes; does nothing for
 * NULL. */
bool workspace_fit_mistakes(Workspace *workspace, const AttentionMistakes *mistakes, Error *error);

/* How many bytes workspace_fit would allocate. */
long workspace_bytes(const Config *config, int batch, int source_len, int target_len,
                     bool training);

/* Runs the encoder only: fills workspace->encoded. The workspace must fit the batch. */
void transformer_encode(Workspace *workspace, const Params *params, const Batch *batch,
                        ForwardOptions options);

/* Runs encoder, decoder over target_in, and generator: fills workspace->logits and every map. */
void transformer_forward(Workspace *workspace, const Params *params, const Batch *batch,
                         ForwardOptions options);

/* gradient (placed like the parameters) += the gradient of all parameters, given that of the logits
 * in workspace->logits. Batch and options must be those of the forward pass just before; only
 * dropout and mistakes are supported. */
void transformer_backward(Params *gradient, Workspace *workspace, const Params *params,
                          const Batch *batch, ForwardOptions options);

/* Returns a new trace (trace_free) of one example after a forward pass over the batch: the maps of
 * its first `sources` and `targets` steps, which may include padding. Also sets how many first keys
 * are alike (trace_set_keys_alike) and, by the batch's lengths, which rows are real
 * (trace_set_real). NULL with *error for lack of memory. */
Trace *transformer_trace(const Workspace *workspace, const Batch *batch, int example, int sources,
                         int targets, Error *error);

#endif
