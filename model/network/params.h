/* The parameters of a transformer: one block of numbers and the one list of its tensors. */
#ifndef HEADSCOPE_MODEL_NETWORK_PARAMS_H
#define HEADSCOPE_MODEL_NETWORK_PARAMS_H

#include <stdint.h>

#include "model/base/real.h"
#include "model/network/config.h"

/* y = x weight^T + bias; weight [out,in] as PyTorch stores it, bias [out]. */
typedef struct LinearParams {
    real *weight, *bias;
} LinearParams;

/* The projections of one multi-head attention (Vaswani 2017 3.2.2). `in` stacks the rows of
 * query, key and value: weight [3W,W], bias [3W]. `out` is [W,W] and [W]. */
typedef struct AttentionParams {
    LinearParams in, out;
} AttentionParams;

/* y = (x - mean) / sqrt(variance + epsilon) * gain + shift; both [W]. */
typedef struct NormParams {
    real *gain, *shift;
} NormParams;

typedef struct EncoderParams {
    AttentionParams self_attention;
    LinearParams linear1; /* [F,W] */
    LinearParams linear2; /* [W,F] */
    NormParams norm1, norm2;
} EncoderParams;

typedef struct DecoderParams {
    AttentionParams self_attention, cross_attention;
    LinearParams linear1, linear2;
    NormParams norm1, norm2, norm3;
} DecoderParams;

typedef struct Params {
    real *source_embedding;  /* [source_vocab,W] */
    real *target_embedding;  /* [target_vocab,W] */
    EncoderParams *encoder;  /* [encoder_layers] */
    NormParams encoder_norm; /* NULLs without final norms */
    DecoderParams *decoder;  /* [decoder_layers] */
    NormParams decoder_norm;
    LinearParams generator; /* [target_vocab,W] */
    real *block;            /* owned: all tensors, one after another */
    long count;             /* numbers in block */
} Params;

typedef enum ParamInit {
    INIT_XAVIER,    /* uniform, +-sqrt(6 / (rows + cols)) (Glorot and Bengio 2010) */
    INIT_EMBEDDING, /* normal, standard deviation 1/sqrt(W): after the sqrt(W) scale, 1 */
    INIT_ZERO,
    INIT_ONE,
} ParamInit;

/* One entry of the list. */
typedef struct ParamInfo {
    char name[96]; /* PyTorch's: "encoder.layers.0.self_attn.in_proj_weight" */
    int rows;
    int cols; /* 0 for a vector of `rows` */
    ParamInit init;
    int stacked;       /* how many square matrices stand in it (3: query, key, value); else 0 */
    bool held_at_zero; /* a bias that the config turns off: stored, always 0, never added */
} ParamInfo;

/* Called for each tensor in order; `tensor` is the place in Params that points to it. Returning
 * false ends the walk. */
typedef bool ParamVisit(void *context, const ParamInfo *info, real **tensor);

/* The one list of tensors: walks it in the order of the file and the block. It is walked to count,
 * to place, to initialise, to save, to load and to check. Returns false if a visit did. The arrays
 * `encoder` and `decoder` may be NULL while only the list is wanted. */
bool params_place(Params *params, const Config *config, ParamVisit *visit, void *context);

/* How many numbers a tensor has. */
long param_size(const ParamInfo *info);

/* A block of zeros with every tensor placed in it, for parameters, gradients or moments. The
 * config must have passed config_check. Free with params_free. */
bool params_make(Params *params, const Config *config, Error *error);
void params_free(Params *params);

/* How many numbers params_make would place. */
long params_count(const Config *config);

/* Fills the tensors as their ParamInit says; stacked projections each on their own (rows W). */
void params_init(Params *params, const Config *config, uint64_t seed);

#endif
