/* Error bounds. A number x of a tensor with roundoff u is off by at most u |x|. A sum of products
 * of vectors x and y is off by at most (u_x + u_y + c u) |x| |y| (Cauchy-Schwarz), where c is the
 * number of roundoffs of the sum itself. If a score is off by d, its weight is off by a factor of
 * exp(d + the mean of d in its softmax). Mixes and projections are off by the bounds of their terms
 * and of their own sum. */
#include "model/doctor/doctor_predictor.h"

#include <math.h>
#include <string.h>

/* --- rows of weights -------------------------------------------------------------------------- */

/* Roundoffs of the exponential, the sum and the division. */
enum { ROW_MORE = 4 };

/* Returns the norm of the D numbers of a head at one step; *error bounds the norm of their errors.
 */
static double norm_at(const Predictor *p, BoundedTensor tensor, HeadFold fold, Unit at,
                      double *error) {
    long first = head_fold_at(fold, at.b, at.h, at.t, 0), step = head_fold_step(fold);
    double sum = 0;
    for (int i = 0; i < p->sizes.head_width; i++)
        sum += tensor.numbers[first + i * step] * tensor.numbers[first + i * step];
    double flat = tensor.flat + (tensor.rows ? tensor.rows[first / p->prepared->width] : 0);
    *error = tensor.relative * sqrt(sum) + flat * sqrt(p->sizes.head_width);
    return sqrt(sum);
}

/* The norms [Tk] of the keys of a head, and their errors; cached for one example. */
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
    BoundedTensor tensor = p->hypothesis.swapped ? p->query : p->key;
    HeadFold fold = p->hypothesis.swapped ? p->rule.query : p->rule.key;
    for (int j = 0; j < p->sizes.keys; j++)
        norms[j] = norm_at(p, tensor, fold, (Unit){0, b, h, j}, &own[j]);
    return norms;
}

static long row_index(const Predictor *p, Unit at) {
    return ((long)at.b * p->sizes.heads + at.h) * p->sizes.queries + at.t;
}

/* The rule from one row on, for a call of the plain kernel on part of the example. */
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

/* The weights of a row that sees no key, by p->empty. */
static void empty_row(Predictor *p, double *weights, Unit at) {
    int keys = p->sizes.keys, past = keys, first = 0;
    bool causal = p->prepared->dump->causal || p->hypothesis.attention.causal == CAUSAL_ADDED;
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
    int *spans = p->room + attention_rule_room(p->prepared->sizes);
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
        p->has_empty_row = true;
        empty_row(p, weights, at);
    } else if (p->rule.softmax == SOFTMAX_KEYS) {
        plain(p, weights, at, rule_from(p, at), part);
    } else {
        bool heads = p->rule.softmax == SOFTMAX_HEADS;
        p->has_empty_row = p->rule.mask == MASK_REMOVES;
        p->rule.empty = p->empty == EMPTY_ROW_NAN       ? EMPTY_NAN
                        : p->empty == EMPTY_ROW_UNIFORM ? EMPTY_UNIFORM
                                                        : EMPTY_ZERO;
        if (p->plane_empty != p->empty) p->plane_b = -1;
        p->plane_empty = p->empty;
        memcpy(weights, heads ? row_over_heads(p, at) : row_over_queries(p, at),
               (size_t)n.keys * sizeof *weights);
    }
}

/* The error bounds of a row's weights: first d of each score, then what the softmax makes of it. */
static void bound_row(Predictor *p, const double *weights, double *errors, Unit at) {
    bool swapped = p->hypothesis.swapped;
    double own, off, mean = 0, largest = 0;
    own = norm_at(p, swapped ? p->key : p->query, swapped ? p->rule.key : p->rule.query, at, &off);
    const double *key_error, *key_norm = key_norms(p, at.b, at.h, &key_error);
    double more = sum_roundoffs(p->prepared, p->sizes.head_width, p->work) * p->work;
    double share = sum_share(p->prepared, p->sizes.head_width, p->work);
    bool leaks = p->rule.mask == MASK_ADDS || p->rule.mask == MASK_FILLS;
    for (int j = 0; j < p->sizes.keys; j++) {
        double d =
            p->rule.scale * (own * key_error[j] + off * key_norm[j] + more * own * key_norm[j]);
        d *= share;
        /* The mask's value was estimated from rounded numbers. */
        if (leaks) d += p->work * (ROW_MORE + fabs(p->rule.mask_value));
        if (p->has_empty_row && p->rule.softmax == SOFTMAX_KEYS && p->empty != EMPTY_ROW_ZERO)
            d += 0.05; /* a score added to -1e6 loses this much */
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
    const PreparedDump *prepared = p->prepared;
    int keys = p->sizes.keys;
    if (!p->segment->given[DUMP_WEIGHTS]) {
        predictor_project(p, DUMP_QUERY, at.b);
        predictor_project(p, DUMP_KEY, at.b);
        plain_row(p, weights, at);
        bound_row(p, weights, errors, at);
        return;
    }
    const double *given = prepared_numbers(prepared, DUMP_WEIGHTS) + row_index(p, at) * keys;
    double floor = precision_floor(prepared->dump->parts[DUMP_WEIGHTS].precision);
    for (int j = 0; j < keys; j++) {
        weights[j] = given[j];
        errors[j] = prepared_roundoff(prepared, DUMP_WEIGHTS) * fabs(given[j]) + floor +
                    prepared->decimal_error[DUMP_WEIGHTS];
    }
}

/* Writes p->row: the weights of one query, averaged over the heads if that is the hypothesis. */
static void row_of_mix(Predictor *p, Unit at) {
    int keys = p->sizes.keys, heads = p->sizes.heads;
    if (!hypothesis_has(&p->hypothesis, MISTAKE_AVERAGED_HEADS)) {
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
    predictor_project(p, DUMP_QUERY, at.b);
    predictor_project(p, DUMP_KEY, at.b);
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

/* --- contexts --------------------------------------------------------------------------------- */

/* The mix of values of one query and head: D numbers and their error bounds. */
static void mix(Predictor *p, double *mixed, double *errors, Unit at) {
    row_of_mix(p, at);
    predictor_project(p, DUMP_VALUE, at.b);
    int width = p->sizes.head_width;
    HeadFold fold = p->rule.value;
    long step = head_fold_step(fold);
    double more = sum_roundoffs(p->prepared, p->sizes.keys, p->work) * p->work, flat = 0;
    for (int i = 0; i < width; i++)
        mixed[i] = errors[i] = 0;
    for (int j = 0; j < p->sizes.keys; j++) {
        double weight = p->row[j];
        double error = p->row_error[j] + fabs(weight) * (p->value.relative + more);
        if (weight == 0 && error == 0) continue;
        long first = head_fold_at(fold, at.b, at.h, j, 0);
        const double *value = p->value.numbers + first;
        for (int i = 0; i < width; i++) {
            mixed[i] += weight * value[i * step];
            errors[i] += error * fabs(value[i * step]);
        }
        double rows = p->value.rows ? p->value.rows[first / p->prepared->width] : 0;
        flat += fabs(weight) * (p->value.flat + rows);
    }
    for (int i = 0; i < width; i++)
        errors[i] += flat;
}

/* The head and query whose mix is the k-th piece of step t of the packed context [B,Tq,W]; and the
 * column of element i of that piece. The inverse of a fold. */
static Unit piece_of(const Predictor *p, int b, int t, int k) {
    AttentionSizes n = p->sizes;
    if (p->hypothesis.attention.concat != FOLD_RESHAPE) return (Unit){0, b, k, t};
    long piece = (long)t * n.heads + k;
    return (Unit){0, b, (int)(piece / n.queries), (int)(piece % n.queries)};
}

static int column_of(const Predictor *p, int k, int i) {
    AttentionSizes n = p->sizes;
    return p->hypothesis.attention.concat == FOLD_INTERLEAVED ? i * n.heads + k
                                                              : k * n.head_width + i;
}

/* A step of the packed context and its error bounds. */
static void context_row(Predictor *p, int b, int t) {
    const PreparedDump *prepared = p->prepared;
    AttentionSizes n = p->sizes;
    if (!p->segment->given[DUMP_CONTEXT]) {
        for (int k = 0; k < n.heads; k++) {
            mix(p, p->predicted, p->allowed, piece_of(p, b, t, k));
            for (int i = 0; i < n.head_width; i++) {
                p->context[column_of(p, k, i)] = p->predicted[i];
                p->context_error[column_of(p, k, i)] = p->allowed[i];
            }
        }
        return;
    }
    const double *given = prepared_numbers(prepared, DUMP_CONTEXT);
    bool split = prepared->dump->parts[DUMP_CONTEXT].split;
    HeadFold fold = fold_of_kind(FOLD_RESHAPE, n.queries, n.heads, n.head_width);
    for (int k = 0; k < n.heads; k++)
        for (int i = 0; i < n.head_width; i++) {
            Unit from = piece_of(p, b, t, k);
            int column = column_of(p, k, i);
            long at = split ? head_fold_at(fold, b, from.h, from.t, i)
                            : ((long)b * n.queries + t) * prepared->width + column;
            p->context[column] = given[at];
            p->context_error[column] = prepared_roundoff(prepared, DUMP_CONTEXT) * fabs(given[at]) +
                                       prepared->decimal_error[DUMP_CONTEXT];
        }
}

/* --- units ------------------------------------------------------------------------------------ */

static void predict_weights(Predictor *p, Unit unit) {
    bool averaged = p->prepared->dump->parts[DUMP_WEIGHTS].averaged;
    long row = averaged ? (long)unit.b * p->sizes.queries + unit.t : row_index(p, unit);
    row_of_mix(p, unit);
    p->cells = p->sizes.keys;
    for (int j = 0; j < p->cells; j++) {
        p->predicted[j] = p->row[j];
        p->allowed[j] = p->row_error[j];
        p->at[j] = row * p->sizes.keys + j;
    }
}

static void predict_context(Predictor *p, Unit unit) {
    AttentionSizes n = p->sizes;
    bool split = p->prepared->dump->parts[DUMP_CONTEXT].split;
    HeadFold fold =
        split ? fold_of_kind(FOLD_RESHAPE, n.queries, n.heads, n.head_width) : p->rule.context;
    mix(p, p->predicted, p->allowed, unit);
    p->cells = n.head_width;
    for (int i = 0; i < p->cells; i++)
        p->at[i] = head_fold_at(fold, unit.b, unit.h, unit.t, i);
}

static void predict_output(Predictor *p, Unit unit) {
    const PreparedDump *prepared = p->prepared;
    int width = prepared->width;
    context_row(p, unit.b, unit.t);
    double norm = 0, off = 0, bias = 0;
    for (int i = 0; i < width; i++) {
        norm += p->context[i] * p->context[i];
        off += p->context_error[i] * p->context_error[i];
    }
    bool transposed = (p->hypothesis.transposed >> 3 & 1) != 0;
    bool no_bias = (p->hypothesis.no_bias >> 3 & 1) != 0;
    const double *added = prepared_numbers(prepared, DUMP_B_O);
    for (int i = 0; added && i < width; i++)
        bias = fmax(bias, fabs(added[i]));
    double more = sum_roundoffs(p->prepared, width, p->work) * p->work +
                  prepared_roundoff(prepared, DUMP_W_O);
    double share = sum_share(prepared, width, p->work);
    double error = share * prepared->max_norm[3][transposed] * (sqrt(off) + more * sqrt(norm)) +
                   p->work * bias + prepared->decimal_error[DUMP_W_O] * sqrt(norm * width);
    p->cells = width;
    bool left_out = hypothesis_has(&p->hypothesis, MISTAKE_NO_OUTPUT_PROJECTION);
    if (!left_out) project_row(p->predicted, p->context, prepared, 3, transposed, no_bias);
    for (int i = 0; i < width; i++) {
        p->allowed[i] = left_out ? p->context_error[i] : error;
        if (left_out) p->predicted[i] = p->context[i];
        p->at[i] = ((long)unit.b * p->sizes.queries + unit.t) * width + i;
    }
}

/* A step of query, key or value, projected from its source. */
static void predict_projection(Predictor *p, Unit unit, DumpPart part) {
    PreparedDump *prepared = p->prepared;
    AttentionSizes n = p->sizes;
    int steps = prepared_steps(prepared, part), width = prepared->width;
    predictor_project(p, part, unit.b);
    BoundedTensor tensor = part == DUMP_QUERY ? p->query : part == DUMP_KEY ? p->key : p->value;
    bool split = prepared->dump->parts[part].split;
    FoldKind kind = split ? p->hypothesis.attention.split : FOLD_SLICES;
    HeadFold from = fold_of_kind(kind, steps, n.heads, n.head_width);
    HeadFold to = fold_of_kind(split ? FOLD_RESHAPE : FOLD_SLICES, steps, n.heads, n.head_width);
    p->cells = width;
    for (int h = 0; h < n.heads; h++)
        for (int i = 0; i < n.head_width; i++) {
            long at = head_fold_at(from, unit.b, h, unit.t, i);
            int cell = h * n.head_width + i;
            p->predicted[cell] = tensor.numbers[at];
            p->allowed[cell] = tensor.rows[at / width];
            p->at[cell] = head_fold_at(to, unit.b, h, unit.t, i);
        }
}

/* Worst-case bounds grow with every stage, errors with random signs hardly do. */
static double chain_share(const Segment *segment) {
    return ldexp(1, (int)segment->from - (int)segment->until);
}

void predict_unit(Predictor *p, Unit unit) {
    DumpPart part = p->segment->targets[unit.target];
    const DumpTensor *tensor = &p->prepared->dump->parts[part];
    p->has_empty_row = false;
    if (part == DUMP_WEIGHTS)
        predict_weights(p, unit);
    else if (part == DUMP_CONTEXT)
        predict_context(p, unit);
    else if (part == DUMP_OUTPUT)
        predict_output(p, unit);
    else
        predict_projection(p, unit, part);
    double roundoff = prepared_roundoff(p->prepared, part),
           slack = p->prepared->decimal_error[part];
    double floor = precision_floor(tensor->precision);
    if (p->prepared->half_roundoff > 0) floor = fmax(floor, precision_floor(PRECISION_F16));
    double share = p->prepared->tight ? chain_share(p->segment) : 1;
    for (int i = 0; i < p->cells; i++)
        p->allowed[i] = share * p->allowed[i] + roundoff * fabs(p->predicted[i]) + slack + floor;
}

static bool has_heads(DumpPart part) {
    return part == DUMP_WEIGHTS || part == DUMP_CONTEXT;
}

long predictor_units(const Predictor *p, int target) {
    DumpPart part = p->segment->targets[target];
    AttentionSizes n = p->prepared->sizes;
    return (long)n.batch * prepared_steps(p->prepared, part) * (has_heads(part) ? n.heads : 1);
}

/* In the order in which units are cheapest: a softmax over heads is computed query by query, the
 * others head by head. */
Unit predictor_unit(const Predictor *p, int target, long index) {
    DumpPart part = p->segment->targets[target];
    int steps = prepared_steps(p->prepared, part), heads = has_heads(part) ? p->sizes.heads : 1;
    long within = index % ((long)steps * heads);
    int b = (int)(index / ((long)steps * heads));
    if (p->rule.softmax == SOFTMAX_HEADS)
        return (Unit){target, b, (int)(within % heads), (int)(within / heads)};
    return (Unit){target, b, (int)(within / steps), (int)(within % steps)};
}
