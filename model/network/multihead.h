/* Multi-head attention: projections around the attention of all heads (Vaswani 2017 3.2.2; D2L
 * 11.5). The three sites are one call; only the sources and the lengths differ:
 *   encoder self-attention  (X, X, X)
 *   decoder self-attention  (Y, Y, Y), causal
 *   cross-attention         (Y, E, E), E the encoder's outputs */
#ifndef HEADSCOPE_MODEL_NETWORK_MULTIHEAD_H
#define HEADSCOPE_MODEL_NETWORK_MULTIHEAD_H

#include "model/network/ablation.h"
#include "model/network/attention_by_rule.h"
#include "model/network/params.h"

typedef struct MultiheadSizes {
    int batch, queries, keys, width, heads;
} MultiheadSizes;

/* What forward leaves for backward and for the viewer. With one source, query, key and value are
 * one product and lie side by side in rows of 3W; with two, queries lie first in rows of W, then
 * keys and values in rows of 2W. Either way projected has multihead_projected_size reals. */
typedef struct MultiheadSaved {
    real *projected;
    real *context; /* [B*queries,W] */
    real *weights; /* [B,H,queries,attention_row(keys)] */
} MultiheadSaved;

/* Keys and values of steps that went before, for calls with one query an example. */
typedef struct MultiheadCache {
    real *rows;   /* of 2W: key, then value */
    long example; /* reals from an example's rows to the next example's */
    int keys;     /* rows in use, with self-attention that of this step included */
} MultiheadCache;

/* Which keys a call sees, and what it does besides the plain model. */
typedef struct MultiheadOptions {
    const int *key_len;        /* [B,H,queries] */
    Dropout dropout;           /* of the weights */
    LayerAblation ablation;    /* heads knocked out; forward only */
    MultiheadCache *cache;     /* NULL: none; forward only */
    const AttentionRule *rule; /* NULL: the right rule, by the fast kernel; else any rule over
                                  packed tensors, with its own mask in key_len's place */
} MultiheadOptions;

/* Room that one call needs while it runs. */
typedef struct MultiheadScratch {
    real *attention;   /* attention_scratch */
    double *by_rule;   /* attention_by_rule_scratch; where there is a rule */
    real *d_context;   /* [B*queries,W]; backward only */
    real *d_projected; /* as projected; backward only */
} MultiheadScratch;

long multihead_projected_size(MultiheadSizes sizes);
AttentionSizes multihead_attention_sizes(MultiheadSizes sizes);

/* The stacked projection from row `row` on: 0 query, W key, 2W value. A NULL bias stays NULL. */
LinearParams attention_rows(LinearParams in, int row, int width);

/* The key vectors as the attention reads them, after the projection; `one_source` as in forward. */
HeadTensor multihead_keys(MultiheadSaved saved, MultiheadSizes sizes, bool one_source);

/* y[B*queries,W] = concat(heads) out^T. query_source is [B*queries,W], key_value_source
 * [B*keys,W]; the same pointer for self-attention. Biases may be NULL. Where heads are
 * knocked out, saved.context holds what stands in their place. With a cache, self-attention writes
 * this step's keys and values into its last row, and other attention reads the cache in place of
 * key_value_source; the cache says how many keys there are, and projected needs but B*3W reals. */
void multihead_forward(real *y, MultiheadSaved saved, const real *query_source,
                       const real *key_value_source, AttentionParams params, MultiheadSizes sizes,
                       MultiheadOptions options, MultiheadScratch scratch);

/* For a forward pass without ablation. d_query_source `=`. d_key_value_source `+=`, and not touched
 * for self-attention, where d_query_source holds the whole. d_params `+=`. */
void multihead_backward(real *d_query_source, real *d_key_value_source, AttentionParams d_params,
                        const real *d_y, MultiheadSaved saved, const real *query_source,
                        const real *key_value_source, AttentionParams params, MultiheadSizes sizes,
                        MultiheadOptions options, MultiheadScratch scratch);

#endif
