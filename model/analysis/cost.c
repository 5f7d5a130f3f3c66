#include "model/analysis/cost.h"

#include <math.h>
#include <stdlib.h>

#include "model/base/rng.h"
#include "model/kernels/attention_plain.h"

CostCall cost_full_width(CostCall call) {
    call.head_width = call.width;
    return call;
}

static long columns_of(CostCall c) {
    return (long)c.heads * c.head_width;
}

/* --- by formula ------------------------------------------------------------------------------- */

long cost_parameters(CostCall c, bool bias) {
    return 4 * columns_of(c) * c.width + (bias ? 3 * columns_of(c) + c.width : 0);
}

long cost_weights(CostCall c) {
    return (long)c.batch * c.heads * c.queries * c.keys;
}

long cost_weight_bytes(CostCall c) {
    return cost_weights(c) * (long)sizeof(float);
}

CostFlops cost_flops(CostCall c) {
    long query = 2L * c.batch * c.queries * c.width * columns_of(c);
    long key = 2L * c.batch * c.keys * c.width * columns_of(c);
    long pairs = 2 * cost_weights(c) * c.head_width;
    return (CostFlops){query, key, key, query, pairs, pairs};
}

long cost_projections(CostFlops f) {
    return f.query + f.key + f.value + f.output;
}

long cost_total(CostFlops f) {
    return cost_projections(f) + f.scores + f.mix;
}

/* --- counted ---------------------------------------------------------------------------------- */

/* y[rows,out] = x[rows,in] weight[in,out]; returns the number of multiply-adds. `weight` is the
 * transpose of a checkpoint's, so that the inner loop runs over adjacent numbers. */
static long linear_counted(double *y, const double *x, const double *weight, long rows, long out,
                           long in) {
    long done = 0;
    for (long r = 0; r < rows; r++) {
        for (long o = 0; o < out; o++)
            y[r * out + o] = 0;
        for (long i = 0; i < in; i++)
            for (long o = 0; o < out; o++, done++)
                y[r * out + o] += x[r * in + i] * weight[i * out + o];
    }
    return done;
}

/* Uniform random numbers from -size to size. */
static void fill(double *numbers, long count, double size, Rng *rng) {
    for (long i = 0; i < count; i++)
        numbers[i] = size * (2 * rng_uniform(rng) - 1);
}

/* The tensors of a call. */
typedef struct CostTensors {
    double *block; /* owned */
    double *query_source, *key_source, *weight, *query, *key, *value, *weights, *context, *output;
    int *key_end; /* owned */
} CostTensors;

static void tensors_free(CostTensors *tensors) {
    free(tensors->block);
    free(tensors->key_end);
}

static bool tensors_make(CostTensors *tensors, CostCall c, Error *error) {
    long queries = (long)c.batch * c.queries, keys = (long)c.batch * c.keys, all = columns_of(c);
    double **const places[] = {&tensors->query_source, &tensors->key_source, &tensors->weight,
                               &tensors->query,        &tensors->key,        &tensors->value,
                               &tensors->weights,      &tensors->context,    &tensors->output};
    const long sizes[] = {queries * c.width, keys * c.width, all * c.width,
                          queries * all,     keys * all,     keys * all,
                          cost_weights(c),   queries * all,  queries * c.width};
    enum { TENSORS = sizeof sizes / sizeof sizes[0] };
    long total = 0, ends = queries * c.heads;
    for (int i = 0; i < TENSORS; i++)
        total += sizes[i];
    *tensors = (CostTensors){.block = calloc((size_t)total, sizeof *tensors->block),
                             .key_end = calloc((size_t)ends, sizeof *tensors->key_end)};
    if (!tensors->block || !tensors->key_end) {
        tensors_free(tensors);
        return error_set(error, "out of memory to count a call with %d heads", c.heads);
    }
    double *at = tensors->block;
    for (int i = 0; i < TENSORS; at += sizes[i++])
        *places[i] = at;
    for (long i = 0; i < ends; i++)
        tensors->key_end[i] = c.keys;
    return true;
}

/* A projection with fresh random weights. */
static long project(CostTensors *tensors, double *y, const double *x, long rows, long out, long in,
                    Rng *rng) {
    fill(tensors->weight, out * in, 1 / sqrt((double)in), rng);
    return linear_counted(y, x, tensors->weight, rows, out, in);
}

bool cost_count(CostFlops *flops, CostCall c, uint64_t seed, Error *error) {
    CostTensors tensors;
    if (!tensors_make(&tensors, c, error)) return false;
    long queries = (long)c.batch * c.queries, keys = (long)c.batch * c.keys, all = columns_of(c);
    Rng rng = rng_make(seed, 0);
    fill(tensors.query_source, queries * c.width, 1, &rng);
    fill(tensors.key_source, keys * c.width, 1, &rng);
    *flops = (CostFlops){0};
    flops->query =
        2 * project(&tensors, tensors.query, tensors.query_source, queries, all, c.width, &rng);
    flops->key = 2 * project(&tensors, tensors.key, tensors.key_source, keys, all, c.width, &rng);
    flops->value =
        2 * project(&tensors, tensors.value, tensors.key_source, keys, all, c.width, &rng);
    AttentionCount count = {0};
    HeadFold key_fold = head_fold(c.keys, all, c.head_width);
    AttentionRule rule = {
        .query = head_fold(c.queries, all, c.head_width),
        .key = key_fold,
        .value = key_fold,
        .context = head_fold(c.queries, all, c.head_width),
        .key_end = tensors.key_end,
        .scale = 1 / sqrt((double)c.head_width),
        .count = &count,
    };
    AttentionSizes sizes = {c.batch, c.heads, c.queries, c.keys, c.head_width};
    attention_plain_forward(tensors.context, tensors.weights, tensors.query, tensors.key,
                            tensors.value, &rule, sizes);
    flops->scores = 2 * count.scores;
    flops->mix = 2 * count.mix;
    flops->output =
        2 * project(&tensors, tensors.output, tensors.context, queries, c.width, all, &rng);
    tensors_free(&tensors);
    return true;
}
