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
    real *block;            /* owned: all tensors in order */
    long count;             /* numbers in block */
} Params;

typedef enum ParamInit {
    INIT_XAVIER,    /* uniform, +-sqrt(6 / (rows + cols)) (Glorot and Bengio 2010) */
    INIT_EMBEDDING, /* normal, standard deviation 1/sqrt(W): after the sqrt(W) scale, 1 */
    INIT_ZERO,
    INIT_ONE,
} ParamInit;

/* One entry of the list of tensors. */
typedef struct ParamInfo {
    char name[96]; /* PyTorch's: "encoder.layers.0.self_attn.in_proj_weight" */
    int rows;
    int cols; /* 0 for a vector of `rows` */
    ParamInit init;
    int stacked;       /* number of stacked square matrices (3: query, key, value); else 0 */
    bool held_at_zero; /* a bias that the config turns off: stored, but always 0 and never used */
} ParamInfo;

/* Called for each tensor in order; `tensor` is its pointer in Params. Returning false ends the
 * walk.
 */
typedef bool ParamVisit(void *context, const ParamInfo *info, real **tensor);

/* Visits all tensors in the order of the file and the block. Used to count, place, initialise,
 * save, load and check. Returns false if a visit did. The arrays `encoder` and `decoder` may be
 * NULL if the visit does not use `tensor`. */
bool params_place(Params *params, const Config *config, ParamVisit *visit, void *context);

/* How many numbers a tensor has. */
long param_size(const ParamInfo *info);

/* Makes a block of zeros with every tensor placed in it, for parameters, gradients or moments. The
 * config must have passed config_check. Free with params_free. */
bool params_make(Params *params, const Config *config, Error *error);
void params_free(Params *params);

/* How many numbers all tensors have together. */
long params_count(const Config *config);

/* Initialises the tensors by their ParamInit; stacked projections separately (rows W). */
void params_init(Params *params, const Config *config, uint64_t seed);

#endif
