#include "tests/model/helper_attention.h"

#include <stdlib.h>

#include "tests/model/helper_network.h"

AttentionLayout helper_layout(AttentionSizes n, bool side_by_side, int group) {
    long width = (long)n.heads * n.head_width, narrow = width / group;
    AttentionLayout layout = {.context = head_fold(n.queries, width, n.head_width)};
    if (side_by_side) {
        layout.query = layout.key = layout.value = head_fold(n.queries, 3 * width, n.head_width);
        layout.key_at = width;
        layout.value_at = 2 * width;
        layout.size = 3 * width * n.batch * n.queries;
        return layout;
    }
    layout.query = layout.context;
    layout.key = head_fold(n.keys, 2 * narrow, n.head_width);
    layout.key.group = group;
    layout.value = layout.key;
    layout.key_at = width * n.batch * n.queries;
    layout.value_at = layout.key_at + narrow;
    layout.size = layout.key_at + 2 * narrow * n.batch * n.keys;
    return layout;
}

AttentionCase helper_case(AttentionSizes n, bool side_by_side, int group, Rng *rng) {
    AttentionCase c = {.layout = helper_layout(n, side_by_side, group)};
    long rows = (long)n.batch * n.heads * n.queries;
    c.context_size = rows * n.head_width;
    c.weight_size = rows * attention_row(n.keys);
    c.source = helper_random(c.layout.size, rng);
    c.d_source = helper_poisoned(c.layout.size);
    c.d_context = helper_random(c.context_size, rng);
    c.scratch = helper_poisoned(attention_scratch(n));
    c.key_len = malloc((size_t)rows * sizeof *c.key_len);
    for (long row = 0; row < rows; row++)
        c.key_len[row] = (int)rng_below(rng, (uint32_t)n.keys + 1);
    c.call = (Attention){
        .sizes = n,
        .query = {c.source + c.layout.query_at, c.layout.query},
        .key = {c.source + c.layout.key_at, c.layout.key},
        .value = {c.source + c.layout.value_at, c.layout.value},
        .context = {helper_poisoned(c.context_size), c.layout.context},
        .weights = helper_poisoned(c.weight_size),
        .key_len = c.key_len,
        .scale = 1 / real_sqrt((real)n.head_width),
    };
    return c;
}

void helper_case_free(AttentionCase *c) {
    free(c->source);
    free(c->d_source);
    free(c->d_context);
    free(c->scratch);
    free(c->key_len);
    free(c->call.context.data);
    free(c->call.weights);
}

void helper_run_forward(AttentionCase *c, const Kernels *kernels) {
    for (int example = 0; example < c->call.sizes.batch; example++)
        for (int head = 0; head < c->call.sizes.heads; head++)
            kernels->attention_forward(&c->call, example, head, c->scratch);
}

void helper_run_backward(AttentionCase *c, const Kernels *kernels) {
    helper_run_forward(c, kernels);
    HeadTensor d_query = {c->d_source + c->layout.query_at, c->layout.query};
    HeadTensor d_key = {c->d_source + c->layout.key_at, c->layout.key};
    HeadTensor d_value = {c->d_source + c->layout.value_at, c->layout.value};
    HeadTensor d_context = {c->d_context, c->layout.context};
    for (int example = 0; example < c->call.sizes.batch; example++)
        for (int head = 0; head < c->call.sizes.heads; head++)
            kernels->attention_backward(d_query, d_key, d_value, d_context, &c->call, example, head,
                                        c->scratch);
}

AttentionRule helper_rule(const AttentionCase *c) {
    return (AttentionRule){.query = c->layout.query,
                           .key = c->layout.key,
                           .value = c->layout.value,
                           .context = c->layout.context,
                           .key_end = c->key_len,
                           .scale = (double)c->call.scale};
}
