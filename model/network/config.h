/* The shape of a network and all else that its weights do not say. */
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
    int max_source; /* longest source in tokens, end mark included */
    int max_target; /* longest target in tokens, end mark included */
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
    AttentionMistakes mistakes[SITE_COUNT]; /* made in all layers of a site, in training as well:
                                               the network is what it is with them; {0}: none */
} Config;

/* D2L's transformer at a size that trains in a minute: width 64, 4 heads, 2+2 layers, feed-forward
 * 256, post-norm, no final norms, no attention bias, no dropout. Vocabularies and maximum lengths
 * are 0: the task sets them. */
Config config_default(void);

/* True if a network can be built from it: sizes in range, heads that divide the width, ids inside
 * the vocabularies. Else ERROR_USAGE, naming the entry. The bounds also keep a hostile file from
 * asking for an absurd amount of memory. */
bool config_check(const Config *config, Error *error);

/* Whether attention is mistaken at any site; and in the config's own. */
bool sites_mistaken(const AttentionMistakes mistakes[SITE_COUNT]);
bool config_mistaken(const Config *config);

/* D = W/H, the width of one head. */
int config_head_width(const Config *config);

#endif
