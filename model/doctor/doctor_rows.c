/* One row of weights, and the bounds of its errors. */
#include "model/doctor/doctor_rows.h"

#include <math.h>
#include <string.h>

#include "model/doctor/doctor_project.h"

/* Roundoffs of the exponential, the sum and the division. */
enum { ROW_MORE = 4 };

/* The norm of the D numbers of a head at one step, and the bound of the norm of their errors. */
static double norm_at(const Predictor *p, Known known, HeadFold fold, Unit at, double *error) {
    long first = head_fold_at(fold, at.b, at.h, at.t, 0), step = head_fold_step(fold);
    double sum = 0;
    for (int i = 0; i < p->sizes.head_width; i++)
        sum += known.numbers[first + i * step] * known.numbers[first + i * step];
    double flat = known.flat + (known.rows ? known.rows[first / p->patient->width] : 0);
    *error = known.relative * sqrt(sum) + flat * sqrt(p->sizes.head_width);
    return sqrt(sum);
}

/* The norms of the keys of a head. They are kept for the heads of one example. */
static const double *key_norms(Predictor *p, int b, int h, const double **errors) {
    double *norms = p->key_norm + (long)h * p->sizes.keys;
    double *own = p->key_error + (long)h * p->sizes.keys;
    *errors = own;
    if (p->norm_b != b) {
        p->norm_b = b;
        for (int i = 0; i < p->sizes.heads; i++)
            p->norm_done[i] = false;
    }
    if (p->norm_done[h]) return norms;
    p->norm_done[h] = true;
    Known known = p->hypothesis.swapped ? p->query : p->key;
    HeadFold fold = p->hypothesis.swapped ? p->rule.query : p->rule.key;
    for (int j = 0; j < p->sizes.keys; j++)
        norms[j] = norm_at(p, known, fold, (Unit){0, b, h, j}, &own[j]);
    return norms;
}

long row_index(const Predictor *p, Unit at) {
    return ((long)at.b * p->sizes.heads + at.h) * p->sizes.queries + at.t;
}

/* The rule seen from one place on, for a call of the plain kernel on a part of it. */
static AttentionRule rule_from(const Predictor *p, Unit at) {
    AttentionRule rule = p->rule;
    rule.key_first += row_index(p, at);
    rule.key_end += row_index(p, at);
    return rule;
}

static void plain(Predictor *p, double *weights, Unit from, AttentionRule rule,
                  AttentionSizes sizes) {
    const double *query = p->query.numbers + head_fold_at(rule.query, from.b, from.h, from.t, 0);
    const double *key = p->key.numbers + head_fold_at(rule.key, from.b, from.h, 0, 0);
    if (p->hypothesis.swapped) {
        query = p->key.numbers + head_fold_at(rule.key, from.b, from.h, from.t, 0);
        key = p->query.numbers + head_fold_at(rule.query, from.b, from.h, 0, 0);
        HeadFold fold = rule.query;
        rule.query = rule.key;
        rule.key = fold;
    }
    attention_plain_weights(weights, query, key, &rule, sizes);
}

/* A row that sees no key, in the way of p->empty. */
static void empty_row(Predictor *p, double *weights, Unit at) {
    int keys = p->sizes.keys, past = keys, first = 0;
    bool causal = p->patient->dump->causal || p->hypothesis.attention.causal == CAUSAL_ADDED;
    if (causal && p->hypothesis.attention.causal != CAUSAL_MISSING && at.t + 1 < keys)
        past = at.t + 1;
    int seen = p->empty == EMPTY_ROW_PAST_UNIFORM || p->empty == EMPTY_ROW_SEES_PAST ? past : keys;
    if (p->empty == EMPTY_ROW_SEES || p->empty == EMPTY_ROW_SEES_PAST) {
        AttentionRule rule = p->rule;
        rule.key_first = &first;
        rule.key_end = &seen;
        AttentionSizes one = {1, 1, 1, keys, p->sizes.head_width};
        plain(p, weights, at, rule, one);
        return;
    }
    for (int j = 0; j < keys; j++)
        weights[j] = p->empty == EMPTY_ROW_NAN    ? NAN
                     : p->empty == EMPTY_ROW_ZERO ? 0
                     : j < seen                   ? 1.0 / seen
                                                  : 0;
}

static bool sees_nothing(const Predictor *p, Unit at) {
    long row = row_index(p, at);
    return p->rule.mask == MASK_REMOVES && p->rule.softmax == SOFTMAX_KEYS &&
           p->rule.key_end[row] <= p->rule.key_first[row];
}

/* The weights of one query in all heads, for a softmax over the heads. */
static const double *row_over_heads(Predictor *p, Unit at) {
    AttentionSizes n = p->sizes, part = {1, n.heads, 1, n.keys, n.head_width};
    const double *row = p->plane + (long)at.h * n.keys;
    if (p->plane_b == at.b && p->plane_at == at.t) return row;
    p->plane_b = at.b;
    p->plane_at = at.t;
    /* The spans of one query's rows lie Tq apart. */
    int *spans = p->room + attention_rule_room(p->patient->sizes);
    for (int h = 0; h < n.heads; h++) {
        spans[h] = p->rule.key_first[row_index(p, (Unit){0, at.b, h, at.t})];
        spans[n.heads + h] = p->rule.key_end[row_index(p, (Unit){0, at.b, h, at.t})];
    }
    AttentionRule rule = p->rule;
    rule.key_first = spans;
    rule.key_end = spans + n.heads;
    plain(p, p->plane, (Unit){0, at.b, 0, at.t}, rule, part);
    return row;
}

/* The weights of all queries of a head, for a softmax over the queries. */
static const double *row_over_queries(Predictor *p, Unit at) {
    AttentionSizes n = p->sizes, part = {1, 1, n.queries, n.keys, n.head_width};
    long size = (long)n.queries * n.keys;
    double *plane = p->plane + (p->keeps_planes ? at.h * size : 0);
    if (p->plane_b != at.b || (!p->keeps_planes && p->plane_at != at.h)) {
        p->plane_b = at.b;
        p->plane_at = at.h;
        for (int h = 0; h < n.heads; h++)
            p->plane_done[h] = false;
    }
    Unit from = {0, at.b, at.h, 0};
    if (!p->plane_done[at.h]) plain(p, plane, from, rule_from(p, from), part);
    p->plane_done[at.h] = true;
    return plane + (long)at.t * n.keys;
}

/* The weights of a row by the plain kernel, into `weights` [Tk]. */
static void plain_row(Predictor *p, double *weights, Unit at) {
    AttentionSizes n = p->sizes, part = {1, 1, 1, n.keys, n.head_width};
    if (p->rule.softmax == SOFTMAX_KEYS && sees_nothing(p, at)) {
        p->met_empty = true;
        empty_row(p, weights, at);
    } else if (p->rule.softmax == SOFTMAX_KEYS) {
        plain(p, weights, at, rule_from(p, at), part);
    } else {
        bool heads = p->rule.softmax == SOFTMAX_HEADS;
        p->met_empty = p->rule.mask == MASK_REMOVES;
        p->rule.empty = p->empty == EMPTY_ROW_NAN       ? EMPTY_NAN
                        : p->empty == EMPTY_ROW_UNIFORM ? EMPTY_UNIFORM
                                                        : EMPTY_ZERO;
        if (p->plane_empty != p->empty) p->plane_b = -1;
        p->plane_empty = p->empty;
        memcpy(weights, heads ? row_over_heads(p, at) : row_over_queries(p, at),
               (size_t)n.keys * sizeof *weights);
    }
}

/* The bounds of a row's weights: d of each score first, then what the softmax makes of them. */
static void bound_row(Predictor *p, const double *weights, double *errors, Unit at) {
    bool swapped = p->hypothesis.swapped;
    double own, off, mean = 0, largest = 0;
    own = norm_at(p, swapped ? p->key : p->query, swapped ? p->rule.key : p->rule.query, at, &off);
    const double *key_error, *key_norm = key_norms(p, at.b, at.h, &key_error);
    double more = sum_roundoffs(p->patient, p->sizes.head_width, p->work) * p->work;
    double share = sum_share(p->patient, p->sizes.head_width, p->work);
    bool leaks = p->rule.mask == MASK_ADDS || p->rule.mask == MASK_FILLS;
    for (int j = 0; j < p->sizes.keys; j++) {
        double d =
            p->rule.scale * (own * key_error[j] + off * key_norm[j] + more * own * key_norm[j]);
        d *= share;
        /* Its value was estimated from such numbers. */
        if (leaks) d += p->work * (ROW_MORE + fabs(p->rule.mask_value));
        if (p->met_empty && p->rule.softmax == SOFTMAX_KEYS && p->empty != EMPTY_ROW_ZERO)
            d += 0.05; /* lost in -1e6, added to it */
        errors[j] = d;
        mean += weights[j] * d;
        largest = fmax(largest, d);
    }
    if (p->rule.softmax != SOFTMAX_KEYS || p->rule.mask == MASK_AFTER) mean = 2 * largest;
    for (int j = 0; j < p->sizes.keys; j++)
        errors[j] = weights[j] * (expm1(fmin(errors[j] + mean, 50)) + ROW_MORE * p->work);
}

/* The weights of one query of one head, and the bounds of their errors. */
static void weights_row(Predictor *p, double *weights, double *errors, Unit at) {
    const Patient *patient = p->patient;
    int keys = p->sizes.keys;
    if (!p->segment->given[DUMP_WEIGHTS]) {
        predict_need(p, DUMP_QUERY, at.b);
        predict_need(p, DUMP_KEY, at.b);
        plain_row(p, weights, at);
        bound_row(p, weights, errors, at);
        return;
    }
    const double *given = patient_numbers(patient, DUMP_WEIGHTS) + row_index(p, at) * keys;
    double floor = precision_floor(patient->dump->parts[DUMP_WEIGHTS].precision);
    for (int j = 0; j < keys; j++) {
        weights[j] = given[j];
        errors[j] = patient_roundoff(patient, DUMP_WEIGHTS) * fabs(given[j]) + floor +
                    patient->slack[DUMP_WEIGHTS];
    }
}

/* The same, averaged over the heads where the hypothesis says so. */
void row_of_mix(Predictor *p, Unit at) {
    int keys = p->sizes.keys, heads = p->sizes.heads;
    if (!p->hypothesis.averaged) {
        weights_row(p, p->row, p->row_error, at);
        return;
    }
    for (int j = 0; j < keys; j++)
        p->sum[j] = p->sum_error[j] = 0;
    for (int h = 0; h < heads; h++) {
        weights_row(p, p->row, p->row_error, (Unit){0, at.b, h, at.t});
        for (int j = 0; j < keys; j++) {
            p->sum[j] += p->row[j] / heads;
            p->sum_error[j] += (p->row_error[j] + p->work * fabs(p->row[j])) / heads;
        }
    }
    memcpy(p->row, p->sum, (size_t)keys * sizeof *p->row);
    memcpy(p->row_error, p->sum_error, (size_t)keys * sizeof *p->row_error);
}

void predict_scores(Predictor *p, Unit at, double *scores, int *first, int *end) {
    long row = row_index(p, at);
    *first = p->rule.key_first[row];
    *end = p->rule.key_end[row];
    predict_need(p, DUMP_QUERY, at.b);
    predict_need(p, DUMP_KEY, at.b);
    bool swapped = p->hypothesis.swapped;
    HeadFold query = swapped ? p->rule.key : p->rule.query;
    HeadFold key = swapped ? p->rule.query : p->rule.key;
    const double *q = swapped ? p->key.numbers : p->query.numbers;
    const double *k = swapped ? p->query.numbers : p->key.numbers;
    for (int j = 0; j < p->sizes.keys; j++) {
        double sum = 0;
        for (int i = 0; i < p->sizes.head_width; i++)
            sum += q[head_fold_at(query, at.b, at.h, at.t, i)] *
                   k[head_fold_at(key, at.b, at.h, j, i)];
        scores[j] = p->rule.scale * sum;
    }
}
