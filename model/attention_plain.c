#include "model/attention_plain.h"

#include <stddef.h>

static long element(HeadFold fold, int b, int h, int t, int i) {
    return b * fold.example + (h / fold.group) * fold.head + t * fold.row + i;
}

static long row_of(AttentionSizes n, int b, int h, int t) {
    return ((long)b * n.heads + h) * n.queries + t;
}

/* The visible keys of a query: first <= j < end. */
typedef struct Visible {
    int first, end;
} Visible;

static Visible visible(const AttentionRule *rule, long row) {
    return (Visible){rule->key_first ? rule->key_first[row] : 0, rule->key_end[row]};
}

static void forward_row(real *context, real *weights, const real *query, const real *key,
                        const real *value, const AttentionRule *rule, AttentionSizes n, int b,
                        int h, int t) {
    long row = row_of(n, b, h, t);
    Visible seen = visible(rule, row);
    real *weight = weights + row * n.keys;
    for (int j = 0; j < n.keys; j++)
        weight[j] = 0;
    real largest = 0, total = 0;
    for (int j = seen.first; j < seen.end; j++) {
        real score = 0;
        for (int i = 0; i < n.head_width; i++)
            score += query[element(rule->query, b, h, t, i)] * key[element(rule->key, b, h, j, i)];
        weight[j] = score * rule->scale;
        if (j == seen.first || weight[j] > largest) largest = weight[j];
    }
    for (int j = seen.first; j < seen.end; j++) {
        weight[j] = real_exp(weight[j] - largest);
        total += weight[j];
    }
    for (int j = seen.first; j < seen.end; j++)
        weight[j] /= total;
    for (int i = 0; i < n.head_width; i++) {
        real mix = 0;
        for (int j = seen.first; j < seen.end; j++)
            mix += weight[j] * value[element(rule->value, b, h, j, i)];
        context[element(rule->context, b, h, t, i)] = mix;
    }
}

void attention_plain_forward(real *context, real *weights, const real *query, const real *key,
                             const real *value, const AttentionRule *rule, AttentionSizes n) {
    for (int b = 0; b < n.batch; b++)
        for (int h = 0; h < n.heads; h++)
            for (int t = 0; t < n.queries; t++)
                forward_row(context, weights, query, key, value, rule, n, b, h, t);
}

/* d loss / d weight(t,j). */
static real d_weight(const real *d_context, const real *value, const AttentionRule *rule,
                     AttentionSizes n, int b, int h, int t, int j) {
    real sum = 0;
    for (int i = 0; i < n.head_width; i++)
        sum +=
            d_context[element(rule->context, b, h, t, i)] * value[element(rule->value, b, h, j, i)];
    return sum;
}

static void backward_row(real *d_query, real *d_key, real *d_value, const real *d_context,
                         const real *weights, const real *query, const real *key, const real *value,
                         const AttentionRule *rule, AttentionSizes n, int b, int h, int t) {
    long row = row_of(n, b, h, t);
    Visible seen = visible(rule, row);
    const real *weight = weights + row * n.keys;
    real mean = 0;
    for (int j = seen.first; j < seen.end; j++)
        mean += weight[j] * d_weight(d_context, value, rule, n, b, h, t, j);
    for (int j = seen.first; j < seen.end; j++) {
        real d_score =
            weight[j] * (d_weight(d_context, value, rule, n, b, h, t, j) - mean) * rule->scale;
        for (int i = 0; i < n.head_width; i++) {
            long q = element(rule->query, b, h, t, i), k = element(rule->key, b, h, j, i);
            d_query[q] += d_score * key[k];
            d_key[k] += d_score * query[q];
            d_value[element(rule->value, b, h, j, i)] +=
                weight[j] * d_context[element(rule->context, b, h, t, i)];
        }
    }
}

void attention_plain_backward(real *d_query, real *d_key, real *d_value, const real *d_context,
                              const real *weights, const real *query, const real *key,
                              const real *value, const AttentionRule *rule, AttentionSizes n) {
    for (int b = 0; b < n.batch; b++)
        for (int h = 0; h < n.heads; h++)
            for (int t = 0; t < n.queries; t++)
                backward_row(d_query, d_key, d_value, d_context, weights, query, key, value, rule,
                             n, b, h, t);
}
