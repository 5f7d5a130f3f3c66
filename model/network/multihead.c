#include "model/network/multihead.h"

#include <string.h>

#include "model/network/layers.h"

/* The projected query, key and value, split into heads. */
typedef struct ProjectedHeads {
    HeadTensor query, key, value;
} ProjectedHeads;

static ProjectedHeads split(real *projected, MultiheadSizes n, bool one_source) {
    int width = n.width, head_width = n.width / n.heads;
    if (one_source) {
        HeadFold fold = head_fold(n.queries, 3L * width, head_width);
        return (ProjectedHeads){
            {projected, fold}, {projected + width, fold}, {projected + 2L * width, fold}};
    }
    real *keys = projected + (long)n.batch * n.queries * width;
    HeadFold query_fold = head_fold(n.queries, width, head_width);
    HeadFold key_fold = head_fold(n.keys, 2L * width, head_width);
    return (ProjectedHeads){{projected, query_fold}, {keys, key_fold}, {keys + width, key_fold}};
}

/* The same for one query per example, with keys and values from a cache. With one source, first
 * copies this step's key and value into the last row of the cache. */
static ProjectedHeads split_cached(real *projected, MultiheadSizes n, bool one_source,
                                   const MultiheadCache *cache) {
    long width = n.width, row = one_source ? 3 * width : width;
    real *last = cache->rows + (cache->keys - 1) * 2 * width;
    for (int b = 0; one_source && b < n.batch; b++)
        memcpy(last + b * cache->example, projected + b * row + width,
               2 * (size_t)width * sizeof *last);
    HeadFold fold = head_fold(cache->keys, 2 * width, n.width / n.heads);
    fold.example = cache->example;
    return (ProjectedHeads){{projected, head_fold(1, row, n.width / n.heads)},
                            {cache->rows, fold},
                            {cache->rows + width, fold}};
}

LinearParams attention_rows(LinearParams in, int row, int width) {
    return (LinearParams){.weight = in.weight + (long)row * width,
                          .bias = in.bias ? in.bias + row : (real *)0};
}

static Attention attention_of(ProjectedHeads projected, MultiheadSaved saved, MultiheadSizes n,
                              MultiheadOptions options) {
    int head_width = n.width / n.heads;
    return (Attention){
        .sizes = multihead_attention_sizes(n),
        .query = projected.query,
        .key = projected.key,
        .value = projected.value,
        .context = {saved.context, head_fold(n.queries, n.width, head_width)},
        .weights = saved.weights,
        .key_len = options.key_len,
        .scale = 1 / real_sqrt((real)head_width),
        .dropout = options.dropout,
    };
}

long multihead_projected_size(MultiheadSizes n) {
    return (long)n.batch * n.width * (n.queries + 2L * n.keys);
}

AttentionSizes multihead_attention_sizes(MultiheadSizes n) {
    return (AttentionSizes){n.batch, n.heads, n.queries, n.keys, n.width / n.heads};
}

HeadTensor multihead_keys(MultiheadSaved saved, MultiheadSizes n, bool one_source) {
    return split(saved.projected, n, one_source).key;
}

void multihead_forward(real *y, MultiheadSaved saved, const real *query_source,
                       const real *key_value_source, AttentionParams params, MultiheadSizes n,
                       MultiheadOptions options, MultiheadScratch scratch) {
    int width = n.width, query_rows = n.batch * n.queries, key_rows = n.batch * n.keys;
    bool one_source = query_source == key_value_source;
    linear_forward(saved.projected, query_source, params.in, query_rows,
                   one_source ? 3 * width : width, width);
    if (!one_source && !options.cache)
        linear_forward(saved.projected + (long)query_rows * width, key_value_source,
                       attention_rows(params.in, width, width), key_rows, 2 * width, width);
    ProjectedHeads projected = options.cache
                                   ? split_cached(saved.projected, n, one_source, options.cache)
                                   : split(saved.projected, n, one_source);
    if (options.cache) n.keys = options.cache->keys;
    Attention call = attention_of(projected, saved, n, options);
    if (options.rule)
        attention_by_rule_forward(&call, options.rule, scratch.by_rule);
    else
        attention_forward(&call, scratch.attention);
    ablation_apply(options.ablation, saved.context, query_rows);
    linear_forward(y, saved.context, params.out, query_rows, width, width);
}

void multihead_backward(real *d_query_source, real *d_key_value_source, AttentionParams d_params,
                        const real *d_y, MultiheadSaved saved, const real *query_source,
                        const real *key_value_source, AttentionParams params, MultiheadSizes n,
                        MultiheadOptions options, MultiheadScratch scratch) {
    int width = n.width, query_rows = n.batch * n.queries, key_rows = n.batch * n.keys;
    bool one_source = query_source == key_value_source;
    linear_backward(scratch.d_context, 0, d_params.out, d_y, saved.context, params.out, query_rows,
                    width, width);
    Attention call = attention_of(split(saved.projected, n, one_source), saved, n, options);
    ProjectedHeads d = split(scratch.d_projected, n, one_source);
    HeadTensor d_context = {scratch.d_context, call.context.fold};
    if (options.rule)
        attention_by_rule_backward(d.query, d.key, d.value, d_context, &call, options.rule,
                                   scratch.by_rule);
    else
        attention_backward(d.query, d.key, d.value, d_context, &call, scratch.attention);
    if (one_source) {
        linear_backward(d_query_source, 0, d_params.in, scratch.d_projected, query_source,
                        params.in, query_rows, 3 * width, width);
        return;
    }
    real *d_keys = scratch.d_projected + (long)query_rows * width;
    linear_backward(d_query_source, 0, d_params.in, scratch.d_projected, query_source, params.in,
                    query_rows, width, width);
    linear_backward(d_key_value_source, 1, attention_rows(d_params.in, width, width), d_keys,
                    key_value_source, attention_rows(params.in, width, width), key_rows, 2 * width,
                    width);
}
