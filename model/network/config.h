/* The shape of a network, and everything else that its weights do not determine. */
#ifndef HEADSCOPE_MODEL_NETWORK_CONFIG_H
#define HEADSCOPE_MODEL_NETWORK_CONFIG_H

#include "model/base/error.h"
#include "model/kernels/mistakes.h"
#include "model/trace/trace.h"

typedef enum PositionKind {
    POSITION_INTERLEAVED, /* sine, cosine, sine, ... (Vaswani 2017 3.5; D2L 11.6.3) */
    POSITION_HALVES,      /* all sines, then all cosines (tensor2tensor, OpenNMT) */
    POSITION_NONE,
} PositionKind;

typedef enum Activation {
    ACTIVATION_RELU,
    ACTIVATION_GELU, /* the exact one, with erf */
} Activation;

typedef struct Config {
    int width; /* W, num_hiddens in D2L, d_model in PyTorch */
    int heads; /* H; divides W */
    int encoder_layers;
    int decoder_layers;
    int ffn_width; /* F */
    int source_vocab;
    int target_vocab;
    int max_source; /* longest source in tokens, with end mark */
    int max_target; /* longest target in tokens, with end mark */
    bool pre_norm;  /* normalise before each sublayer; false: after (D2L 11.7, Vaswani 2017) */
    bool final_norm;
    bool attention_bias;
    double dropout;
    double layernorm_epsilon;
    Activation activation;
    PositionKind positions;
    int first_position;   /* index of the first token: 0 in D2L */
    bool embedding_scale; /* multiply embeddings by sqrt(W) */
    bool source_end_mark; /* the source ends with </s>, as in D2L 10.5 */
    int pad_id, start_id, end_id;
    AttentionMistakes mistakes[SITE_COUNT]; /* in all layers of a site, in training as well; {0}:
                                               none */
} Config;

/* D2L's transformer at a size that trains in a minute: width 64, 4 heads, 2+2 layers, feed-forward
 * 256, post-norm, no final norms, no attention bias, no dropout. Vocabularies and maximum lengths
 * are 0: the task sets them. */
Config config_default(void);

/* True if a network can be built from the config: sizes in range, heads that divide the width, ids
 * in the vocabularies. Else false with ERROR_USAGE, naming the entry. The limits also bound the
 * memory that a hostile file can request. */
bool config_check(const Config *config, Error *error);

/* True if attention is mistaken at any site. */
bool sites_mistaken(const AttentionMistakes mistakes[SITE_COUNT]);
bool config_mistaken(const Config *config);

/* D = W/H, the width of one head. */
int config_head_width(const Config *config);

#endif
