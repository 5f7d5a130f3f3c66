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

/* Written by forward, read by backward and by the viewer. With one source (self-attention), query,
 * key and value are one product, in rows of 3W; with two, first the queries in rows of W, then keys
 * and values in rows of 2W. Either way projected has multihead_projected_size reals. */
typedef struct MultiheadSaved {
    real *projected;
    real *context; /* [B*queries,W] */
    real *weights; /* [B,H,queries,attention_row(keys)] */
} MultiheadSaved;

/* Keys and values of earlier steps, for calls with one query per example. */
typedef struct MultiheadCache {
    real *rows;   /* of 2W: key, then value */
    long example; /* stride between examples, in reals */
    int keys;     /* rows in use; for self-attention including the current step */
} MultiheadCache;

/* The mask of a call, and deviations from the plain model. */
typedef struct MultiheadOptions {
    const int *key_len;        /* [B,H,queries] */
    Dropout dropout;           /* of the weights */
    LayerAblation ablation;    /* heads knocked out; forward only */
    MultiheadCache *cache;     /* NULL: none; forward only */
    const AttentionRule *rule; /* NULL: correct attention by the fast kernel; else any rule over
                                  packed tensors, whose mask replaces key_len */
} MultiheadOptions;

/* Scratch of one call. */
typedef struct MultiheadScratch {
    real *attention;   /* attention_scratch */
    double *by_rule;   /* attention_by_rule_scratch; only with a rule */
    real *d_context;   /* [B*queries,W]; backward only */
    real *d_projected; /* multihead_projected_size; backward only */
} MultiheadScratch;

long multihead_projected_size(MultiheadSizes sizes);
AttentionSizes multihead_attention_sizes(MultiheadSizes sizes);

/* The stacked projection from `row` on: 0 query, W key, 2W value. A NULL bias stays NULL. */
LinearParams attention_rows(LinearParams in, int row, int width);

/* The projected key vectors; `one_source` for self-attention. */
HeadTensor multihead_keys(MultiheadSaved saved, MultiheadSizes sizes, bool one_source);

/* y[B*queries,W] = concat(heads) out^T. query_source is [B*queries,W], key_value_source
 * [B*keys,W]; the same pointer for self-attention. Biases may be NULL. saved.context holds
 * the replaced outputs of knocked-out heads. With a cache, self-attention writes this step's keys
 * and values into its last row, and cross-attention reads the cache instead of key_value_source;
 * the cache sets the number of keys, and projected needs only B*3W reals. */
void multihead_forward(real *y, MultiheadSaved saved, const real *query_source,
                       const real *key_value_source, AttentionParams params, MultiheadSizes sizes,
                       MultiheadOptions options, MultiheadScratch scratch);

/* For a forward pass without ablation or cache. d_query_source `=`, for self-attention the gradient
 * of both sources; d_key_value_source `+=`, untouched for self-attention. d_params `+=`. */
void multihead_backward(real *d_query_source, real *d_key_value_source, AttentionParams d_params,
                        const real *d_y, MultiheadSaved saved, const real *query_source,
                        const real *key_value_source, AttentionParams params, MultiheadSizes sizes,
                        MultiheadOptions options, MultiheadScratch scratch);

#endif
