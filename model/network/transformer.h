/* The encoder-decoder transformer: forward and backward over a workspace (Vaswani 2017; D2L 11.7,
 * UDL 12). */
#ifndef HEADSCOPE_MODEL_NETWORK_TRANSFORMER_H
#define HEADSCOPE_MODEL_NETWORK_TRANSFORMER_H

#include "model/kernels/mistakes.h"
#include "model/network/batch.h"
#include "model/network/block.h"
#include "model/trace/trace.h"

/* What a pass may do besides the plain model; {0} is the real model. */
typedef struct ForwardOptions {
    double dropout; /* the rate while training; 0: none */
    uint64_t dropout_key;
    const Ablation *ablation;  /* heads knocked out; NULL: none */
    const int *enc_valid_lens; /* [B] in place of the batch's, 0..S; NULL: the batch's own. The */
    const int *dec_valid_lens; /* [B] same, 0..T. All steps are computed: only masks change. */
    bool not_causal;           /* decoder self-attention sees all of the dec_valid_lens keys */
    const AttentionMistakes
        *mistakes; /* [SITE_COUNT] in place of the config's (all {0}: none made);
                      NULL: the config's own. See workspace_fit_mistakes */
} ForwardOptions;

typedef struct FinalNormSaved {
    const real *x;
    real *normed, *mean, *rstd;
} FinalNormSaved;

/* The activations of one pass, apart from the model, so that trainer and viewer each own one. */
typedef struct Workspace {
    BlockContext context;
    real *positions; /* [positions_ready,W], owned */
    int positions_ready;
    real *source_embedded, *target_embedded;
    EncoderSaved *encoder; /* [encoder_layers], owned */
    DecoderSaved *decoder; /* [decoder_layers], owned */
    FinalNormSaved encoder_norm, decoder_norm;
    const real *encoded;       /* [B*S,W] the encoder's outputs */
    const real *decoded;       /* [B*T,W] what the generator reads */
    real *logits;              /* [B*T,V]; backward reads their gradient here */
    real *d_steps, *d_encoded; /* [rows,W]; backward only */
    int *key_len;              /* owned: the counts of the three sites */
    long key_len_capacity;
    int *rule_ints; /* owned, as is the next: for mistakes, where they are asked for */
    double *rule_room;
    long rule_int_capacity, rule_room_capacity;
    real *block; /* owned */
    long capacity;
    real *decoder_block; /* owned: of the decoder that writes from this workspace (decode.h) */
    long decoder_capacity;
} Workspace;

/* Places a workspace for batches of this shape, growing its block only when needed; `training` adds
 * the room that backward needs. The config must have passed config_check, and stay. */
bool workspace_fit(Workspace *workspace, const Config *config, int batch, int source_len,
                   int target_len, bool training, Error *error);
void workspace_free(Workspace *workspace);

/* Makes the table of positions reach over so many steps; it only grows. */
bool workspace_fit_positions(Workspace *workspace, const Config *config, int steps, Error *error);

/* After workspace_fit: adds the room that passes with mistakes in place of the config's need;
 * nothing for NULL. */
bool workspace_fit_mistakes(Workspace *workspace, const AttentionMistakes *mistakes, Error *error);

/* The bytes that workspace_fit would take. */
long workspace_bytes(const Config *config, int batch, int source_len, int target_len,
                     bool training);

/* The encoder alone: fills workspace->encoded. The workspace must fit the batch. */
void transformer_encode(Workspace *workspace, const Params *params, const Batch *batch,
                        ForwardOptions options);

/* Encoder, decoder over target_in, generator: fills workspace->logits and every map. */
void transformer_forward(Workspace *workspace, const Params *params, const Batch *batch,
                         ForwardOptions options);

/* Adds to `gradient` (placed like the parameters) what the gradient in workspace->logits gives.
 * The same batch and options as in the forward pass just before: of the options, dropout and
 * mistakes alone, for the rest is for looking at a model, not for training it. */
void transformer_backward(Params *gradient, Workspace *workspace, const Params *params,
                          const Batch *batch, ForwardOptions options);

/* The maps of one example after a forward pass over the batch, of its first `sources` and `targets`
 * steps: the valid ones, or up to the batch's padded lengths, to show what is masked. Says as well
 * how many first keys are alike (trace_set_keys_alike), and by the batch's lengths which rows are
 * real (trace_set_real). A new trace (trace_free); NULL with *error
 * for lack of memory. */
Trace *transformer_trace(const Workspace *workspace, const Batch *batch, int example, int sources,
                         int targets, Error *error);

#endif
