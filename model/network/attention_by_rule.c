#include "model/network/attention_by_rule.h"

/* The packed tensors of a call, [B,steps,W] each. */
typedef struct PackedTensors {
    double *query, *key, *value, *context;
} PackedTensors;

/* Takes four packed tensors from *scratch. */
static PackedTensors packed_place(double **scratch, AttentionSizes n) {
    long width = (long)n.heads * n.head_width;
    long queries = n.batch * n.queries * width, keys = n.batch * n.keys * width;
    PackedTensors packed = {.query = *scratch};
    packed.key = packed.query + queries;
    packed.value = packed.key + keys;
    packed.context = packed.value + keys;
    *scratch = packed.context + queries;
    return packed;
}

static long packed_size(AttentionSizes n) {
    return 2L * n.batch * (n.queries + n.keys) * n.heads * n.head_width;
}

static long cell_count(AttentionSizes n) {
    return (long)n.batch * n.heads * n.queries * n.keys;
}

long attention_by_rule_scratch(AttentionSizes n, bool backward) {
    long forward = packed_size(n) + cell_count(n);
    return backward ? 2 * packed_size(n) + attention_plain_scratch(n) : forward;
}

static AttentionSizes sizes_of_keys(AttentionSizes n) {
    n.queries = n.keys;
    return n;
}

static void pack(double *packed, HeadTensor tensor, AttentionSizes n) {
    for (int b = 0; b < n.batch; b++)
        for (int t = 0; t < n.queries; t++)
            for (int h = 0; h < n.heads; h++)
                for (int i = 0; i < n.head_width; i++)
                    *packed++ = (double)tensor.data[head_fold_at(tensor.fold, b, h, t, i)];
}

static void unpack(HeadTensor tensor, const double *packed, AttentionSizes n) {
    for (int b = 0; b < n.batch; b++)
        for (int t = 0; t < n.queries; t++)
            for (int h = 0; h < n.heads; h++)
                for (int i = 0; i < n.head_width; i++)
                    tensor.data[head_fold_at(tensor.fold, b, h, t, i)] = (real)*packed++;
}

static void pack_sources(PackedTensors packed, const Attention *call) {
    pack(packed.query, call->query, call->sizes);
    pack(packed.key, call->key, sizes_of_keys(call->sizes));
    pack(packed.value, call->value, sizes_of_keys(call->sizes));
}

static AttentionRule with_dropout(const AttentionRule *rule, const Attention *call) {
    AttentionRule with = *rule;
    with.dropout = call->dropout;
    return with;
}

static void store_weights(real *weights, const double *plain, AttentionSizes n) {
    int length = attention_row(n.keys);
    for (long row = 0; row < (long)n.batch * n.heads * n.queries; row++)
        for (int j = 0; j < length; j++)
            weights[row * length + j] = j < n.keys ? (real)plain[row * n.keys + j] : 0;
}

void attention_by_rule_forward(const Attention *call, const AttentionRule *rule, double *scratch) {
    AttentionSizes n = call->sizes;
    AttentionRule dropped = with_dropout(rule, call);
    PackedTensors packed = packed_place(&scratch, n);
    pack_sources(packed, call);
    attention_plain_forward(packed.context, scratch, packed.query, packed.key, packed.value,
                            &dropped, n);
    store_weights(call->weights, scratch, n);
    unpack(call->context, packed.context, n);
}

void attention_by_rule_backward(HeadTensor d_query, HeadTensor d_key, HeadTensor d_value,
                                HeadTensor d_context, const Attention *call,
                                const AttentionRule *rule, double *scratch) {
    AttentionSizes n = call->sizes;
    AttentionRule dropped = with_dropout(rule, call);
    PackedTensors packed = packed_place(&scratch, n), d = packed_place(&scratch, n);
    pack_sources(packed, call);
    for (double *zeroed = d.query; zeroed < d.context; zeroed++)
        *zeroed = 0;
    pack(d.context, d_context, n);
    attention_plain_backward(d.query, d.key, d.value, d.context, packed.query, packed.key,
                             packed.value, &dropped, n, scratch);
    unpack(d_query, d.query, n);
    unpack(d_key, d.key, sizes_of_keys(n));
    unpack(d_value, d.value, sizes_of_keys(n));
}
