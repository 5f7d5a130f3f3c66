#include "model/kernels/attention_plain.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* A pair of query t and key j in head h of example b. */
typedef struct Place {
    int b, h, t, j;
} Place;

static long row_of(AttentionSizes n, int b, int h, int t) {
    return ((long)b * n.heads + h) * n.queries + t;
}

static long cell_of(AttentionSizes n, Place at) {
    return row_of(n, at.b, at.h, at.t) * n.keys + at.j;
}

static bool is_visible(const AttentionRule *rule, AttentionSizes n, Place at) {
    long row = row_of(n, at.b, at.h, at.t);
    return at.j >= (rule->key_first ? rule->key_first[row] : 0) && at.j < rule->key_end[row];
}

/* True if the pair takes part in the softmax. */
static bool takes_part(const AttentionRule *rule, AttentionSizes n, Place at) {
    return rule->mask != MASK_REMOVES || is_visible(rule, n, at);
}

/* True if the pair's weight depends on query and key. */
static bool has_score(const AttentionRule *rule, AttentionSizes n, Place at) {
    return rule->mask == MASK_ADDS || rule->mask == MASK_AFTER || is_visible(rule, n, at);
}

/* True if the pair's value is added to the context: not if the mask removed the pair, unless
 * EmptyLine gave it a weight. All other pairs are added even if the weight is 0, since 0 times
 * infinity is NaN.
 */
static bool is_mixed(const AttentionRule *rule, AttentionSizes n, Place at, double weight) {
    return takes_part(rule, n, at) || weight != 0;
}

/* The dropout factor of a weight, indexed in padded rows as in the fast kernel. */
static double dropout_of(const AttentionRule *rule, AttentionSizes n, Place at) {
    if (!rule->dropout.threshold) return 1;
    long index = row_of(n, at.b, at.h, at.t) * attention_row(n.keys) + at.j;
    return (double)dropout_factor(rule->dropout, (uint32_t)index);
}

/* Returns the dot product of the rows that start at x and y; adds the multiply-adds to *products
 * (may be NULL). */
static double dot(const double *x, HeadFold x_fold, const double *y, HeadFold y_fold, int count,
                  long *products) {
    long x_step = head_fold_step(x_fold), y_step = head_fold_step(y_fold);
    double sum = 0;
    long done = 0;
    for (int i = 0; i < count; i++, done++)
        sum += x[i * x_step] * y[i * y_step];
    if (products) *products += done;
    return sum;
}

/* to(i) += factor * from(i), counted in the same way. */
static void add_scaled(double *to, HeadFold to_fold, double factor, const double *from,
                       HeadFold from_fold, int count, long *products) {
    long to_step = head_fold_step(to_fold), from_step = head_fold_step(from_fold);
    long done = 0;
    for (int i = 0; i < count; i++, done++)
        to[i * to_step] += factor * from[i * from_step];
    if (products) *products += done;
}

/* --- scores and softmax ----------------------------------------------------------------------- */

static double score(const double *query, const double *key, const AttentionRule *rule,
                    AttentionSizes n, Place at) {
    bool visible = is_visible(rule, n, at);
    if (!visible && rule->mask == MASK_FILLS) return rule->mask_value;
    double product = dot(query + head_fold_at(rule->query, at.b, at.h, at.t, 0), rule->query,
                         key + head_fold_at(rule->key, at.b, at.h, at.j, 0), rule->key,
                         n.head_width, rule->count ? &rule->count->scores : NULL);
    return rule->scale * product + (!visible && rule->mask == MASK_ADDS ? rule->mask_value : 0);
}

/* A line is the pairs that one softmax sums over; returns their number. */
static int line_length(AttentionSizes n, SoftmaxAxis axis) {
    return axis == SOFTMAX_KEYS ? n.keys : axis == SOFTMAX_QUERIES ? n.queries : n.heads;
}

static Place on_line(Place start, SoftmaxAxis axis, int index) {
    if (axis == SOFTMAX_KEYS) start.j = index;
    if (axis == SOFTMAX_QUERIES) start.t = index;
    if (axis == SOFTMAX_HEADS) start.h = index;
    return start;
}

/* The sizes reduced to one pair per line. */
static AttentionSizes line_starts(AttentionSizes n, SoftmaxAxis axis) {
    if (axis == SOFTMAX_KEYS) n.keys = 1;
    if (axis == SOFTMAX_QUERIES) n.queries = 1;
    if (axis == SOFTMAX_HEADS) n.heads = 1;
    return n;
}

/* Replaces scores by weights on the line through `start`. */
static void softmax_line(double *weights, const AttentionRule *rule, AttentionSizes n,
                         Place start) {
    int length = line_length(n, rule->softmax), parts = 0;
    double largest = -INFINITY, total = 0;
    for (int index = 0; index < length; index++) {
        Place at = on_line(start, rule->softmax, index);
        if (!takes_part(rule, n, at)) continue;
        parts++;
        largest = fmax(largest, weights[cell_of(n, at)]);
    }
    double empty = rule->empty == EMPTY_NAN ? NAN : rule->empty == EMPTY_UNIFORM ? 1.0 / length : 0;
    for (int index = 0; index < length; index++) {
        Place at = on_line(start, rule->softmax, index);
        double *weight = &weights[cell_of(n, at)];
        if (takes_part(rule, n, at))
            total += *weight = exp(*weight - largest);
        else
            *weight = parts ? 0 : empty;
    }
    for (int index = 0; index < length; index++) {
        Place at = on_line(start, rule->softmax, index);
        if (takes_part(rule, n, at)) weights[cell_of(n, at)] /= total;
    }
}

/* The softmax of all lines; MASK_AFTER is not yet applied. */
static void softmax_all(double *weights, const double *query, const double *key,
                        const AttentionRule *rule, AttentionSizes n) {
    for (int b = 0; b < n.batch; b++)
        for (int h = 0; h < n.heads; h++)
            for (int t = 0; t < n.queries; t++)
                for (int j = 0; j < n.keys; j++) {
                    Place at = {b, h, t, j};
                    weights[cell_of(n, at)] =
                        takes_part(rule, n, at) ? score(query, key, rule, n, at) : 0;
                }
    AttentionSizes lines = line_starts(n, rule->softmax);
    for (int b = 0; b < lines.batch; b++)
        for (int h = 0; h < lines.heads; h++)
            for (int t = 0; t < lines.queries; t++)
                for (int j = 0; j < lines.keys; j++)
                    softmax_line(weights, rule, n, (Place){b, h, t, j});
}

/* --- forward ---------------------------------------------------------------------------------- */

/* The context of one query of one head. */
static void mix(double *context, const double *weights, const double *value,
                const AttentionRule *rule, AttentionSizes n, int b, int h, int t) {
    double *mixed = context + head_fold_at(rule->context, b, h, t, 0);
    long step = head_fold_step(rule->context);
    for (int i = 0; i < n.head_width; i++)
        mixed[i * step] = 0;
    for (int j = 0; j < n.keys; j++) {
        Place at = {b, h, t, j};
        double weight = weights[cell_of(n, at)];
        if (!is_mixed(rule, n, at, weight)) continue;
        weight *= dropout_of(rule, n, at);
        add_scaled(mixed, rule->context, weight, value + head_fold_at(rule->value, b, h, j, 0),
                   rule->value, n.head_width, rule->count ? &rule->count->mix : NULL);
    }
}

void attention_plain_weights(double *weights, const double *query, const double *key,
                             const AttentionRule *rule, AttentionSizes n) {
    softmax_all(weights, query, key, rule, n);
    if (rule->mask != MASK_AFTER) return;
    for (int b = 0; b < n.batch; b++)
        for (int h = 0; h < n.heads; h++)
            for (int t = 0; t < n.queries; t++)
                for (int j = 0; j < n.keys; j++)
                    if (!is_visible(rule, n, (Place){b, h, t, j}))
                        weights[cell_of(n, (Place){b, h, t, j})] = 0;
}

void attention_plain_forward(double *context, double *weights, const double *query,
                             const double *key, const double *value, const AttentionRule *rule,
                             AttentionSizes n) {
    attention_plain_weights(weights, query, key, rule, n);
    for (int b = 0; b < n.batch; b++)
        for (int h = 0; h < n.heads; h++)
            for (int t = 0; t < n.queries; t++)
                mix(context, weights, value, rule, n, b, h, t);
}

/* --- backward --------------------------------------------------------------------------------- */

long attention_plain_scratch(AttentionSizes n) {
    return 2 * row_of(n, n.batch, 0, 0) * n.keys;
}

/* d_weights `=` d loss / d weight of each pair of a query; d_value `+=`. */
static void mix_backward(double *d_weights, double *d_value, const double *d_context,
                         const double *weights, const double *value, const AttentionRule *rule,
                         AttentionSizes n, int b, int h, int t) {
    const double *d_mixed = d_context + head_fold_at(rule->context, b, h, t, 0);
    for (int j = 0; j < n.keys; j++) {
        Place at = {b, h, t, j};
        long cell = cell_of(n, at), v = head_fold_at(rule->value, b, h, j, 0);
        d_weights[cell] = 0;
        if (rule->mask == MASK_AFTER && !is_visible(rule, n, at)) continue;
        if (!is_mixed(rule, n, at, weights[cell])) continue;
        double factor = dropout_of(rule, n, at);
        d_weights[cell] =
            factor * dot(d_mixed, rule->context, value + v, rule->value, n.head_width, NULL);
        add_scaled(d_value + v, rule->value, factor * weights[cell], d_mixed, rule->context,
                   n.head_width, NULL);
    }
}

/* Replaces d loss / d weight by d loss / d score on a line:
 * d_score = weight (d_weight - sum over the line of weight d_weight). */
static void softmax_line_backward(double *d_weights, const double *weights,
                                  const AttentionRule *rule, AttentionSizes n, Place start) {
    int length = line_length(n, rule->softmax);
    double mean = 0;
    for (int index = 0; index < length; index++) {
        long cell = cell_of(n, on_line(start, rule->softmax, index));
        mean += weights[cell] * d_weights[cell];
    }
    for (int index = 0; index < length; index++) {
        Place at = on_line(start, rule->softmax, index);
        long cell = cell_of(n, at);
        d_weights[cell] = has_score(rule, n, at) ? weights[cell] * (d_weights[cell] - mean) : 0;
    }
}

void attention_plain_backward(double *d_query, double *d_key, double *d_value,
                              const double *d_context, const double *query, const double *key,
                              const double *value, const AttentionRule *rule, AttentionSizes n,
                              double *scratch) {
    double *weights = scratch, *d_weights = scratch + attention_plain_scratch(n) / 2;
    AttentionRule uncounted = *rule;
    uncounted.count = NULL;
    softmax_all(weights, query, key, &uncounted, n);
    for (int b = 0; b < n.batch; b++)
        for (int h = 0; h < n.heads; h++)
            for (int t = 0; t < n.queries; t++)
                mix_backward(d_weights, d_value, d_context, weights, value, rule, n, b, h, t);
    AttentionSizes lines = line_starts(n, rule->softmax);
    for (int b = 0; b < lines.batch; b++)
        for (int h = 0; h < lines.heads; h++)
            for (int t = 0; t < lines.queries; t++)
                for (int j = 0; j < lines.keys; j++)
                    softmax_line_backward(d_weights, weights, rule, n, (Place){b, h, t, j});
    for (int b = 0; b < n.batch; b++)
        for (int h = 0; h < n.heads; h++)
            for (int t = 0; t < n.queries; t++)
                for (int j = 0; j < n.keys; j++) {
                    Place at = {b, h, t, j};
                    if (!has_score(rule, n, at)) continue;
                    double d_score = d_weights[cell_of(n, at)] * rule->scale;
                    long q = head_fold_at(rule->query, b, h, t, 0);
                    long k = head_fold_at(rule->key, b, h, j, 0);
                    add_scaled(d_query + q, rule->query, d_score, key + k, rule->key, n.head_width,
                               NULL);
                    add_scaled(d_key + k, rule->key, d_score, query + q, rule->query, n.head_width,
                               NULL);
                }
}
