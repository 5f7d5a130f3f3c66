#include "app/lessons/cost_time.h"

#include <math.h>
#include <stdlib.h>

#include "model/base/clock.h"
#include "model/base/rng.h"
#include "model/kernels/attention.h"
#include "model/network/layers.h"

enum { MAX_ROUNDS = 32 };

/* Rough costs in operations: of an exponential, of reading a parameter, of filling in a random
 * number. */
enum { EXPONENTIAL = 30, READING = 10, FILLING = 60 };

/* Buffers shared by all calls, each as large as the largest call needs. */
typedef struct CostWork {
    real *source, *in, *out, *projected, *context, *weights, *y, *scratch;
    int *key_len;
} CostWork;

static long columns_of(CostCall c) {
    return (long)c.heads * c.head_width;
}

static AttentionSizes sizes_of(CostCall c) {
    return (AttentionSizes){c.batch, c.heads, c.queries, c.keys, c.head_width};
}

static double work_of(CostCall c) {
    return (double)cost_total(cost_flops(c)) + EXPONENTIAL * (double)cost_weights(c) +
           READING * (double)cost_parameters(c, false);
}

/* Repetitions of a call in one measurement. */
static int times_of(CostCall c, CostEffort effort) {
    double times = effort.min_operations / work_of(c);
    return times < 1 ? 1 : times > 100 ? 100 : (int)times;
}

/* --- room ------------------------------------------------------------------------------------- */

enum { PARTS = 8 };

/* sizes[PARTS] = max(sizes, numbers that the call needs in each buffer), in the order of CostWork.
 */
static void part_sizes(long *sizes, CostCall c) {
    long queries = (long)c.batch * c.queries, keys = (long)c.batch * c.keys, all = columns_of(c);
    long max = queries > keys ? queries : keys;
    const long needed[PARTS] = {
        max * c.width,     3 * all * c.width,
        c.width * all,     (queries + 2 * keys) * all,
        queries * all,     (long)c.batch * c.heads * c.queries * attention_row(c.keys),
        queries * c.width, attention_scratch(sizes_of(c))};
    for (int i = 0; i < PARTS; i++)
        if (needed[i] > sizes[i]) sizes[i] = needed[i];
}

static void work_free(CostWork *work) {
    real *parts[PARTS] = {work->source,  work->in,      work->out, work->projected,
                          work->context, work->weights, work->y,   work->scratch};
    for (int i = 0; i < PARTS; i++)
        free(parts[i]);
    free(work->key_len);
}

static bool work_make(CostWork *work, const CostCall *calls, const double *ms, int count) {
    real **const parts[PARTS] = {&work->source,  &work->in,      &work->out, &work->projected,
                                 &work->context, &work->weights, &work->y,   &work->scratch};
    long sizes[PARTS] = {0}, lens = 0;
    for (int i = 0; i < count; i++) {
        if (isnan(ms[i])) continue;
        part_sizes(sizes, calls[i]);
        long own = (long)calls[i].batch * calls[i].heads * calls[i].queries;
        if (own > lens) lens = own;
    }
    *work = (CostWork){.key_len = calloc((size_t)lens + 1, sizeof *work->key_len)};
    bool good = work->key_len != NULL;
    Rng rng = rng_make(1, 0);
    for (int i = 0; i < PARTS; i++) {
        *parts[i] = malloc(((size_t)sizes[i] + 1) * sizeof(real));
        good = good && *parts[i];
        for (long k = 0; good && k < sizes[i]; k++) /* small, so that nothing overflows */
            (*parts[i])[k] = (real)(0.1 * rng_uniform(&rng) - 0.05);
    }
    return good;
}

/* --- a call ----------------------------------------------------------------------------------- */

/* multihead_forward for heads of any width; self-attention if there are as many keys as queries. */
static void call_once(CostWork *w, CostCall c) {
    int queries = c.batch * c.queries, keys = c.batch * c.keys, all = (int)columns_of(c);
    LinearParams in = {w->in, NULL}, out = {w->out, NULL};
    HeadTensor query, key, value;
    if (c.queries == c.keys) {
        linear_forward(w->projected, w->source, in, queries, 3 * all, c.width);
        HeadFold fold = head_fold(c.queries, 3L * all, c.head_width);
        query = (HeadTensor){w->projected, fold};
        key = (HeadTensor){w->projected + all, fold};
        value = (HeadTensor){w->projected + 2L * all, fold};
    } else {
        real *rest = w->projected + (long)queries * all;
        HeadFold fold = head_fold(c.keys, 2L * all, c.head_width);
        LinearParams in_rest = {w->in + (long)all * c.width, NULL};
        linear_forward(w->projected, w->source, in, queries, all, c.width);
        linear_forward(rest, w->source, in_rest, keys, 2 * all, c.width);
        query = (HeadTensor){w->projected, head_fold(c.queries, all, c.head_width)};
        key = (HeadTensor){rest, fold};
        value = (HeadTensor){rest + all, fold};
    }
    Attention call = {.sizes = sizes_of(c),
                      .query = query,
                      .key = key,
                      .value = value,
                      .context = {w->context, head_fold(c.queries, all, c.head_width)},
                      .weights = w->weights,
                      .key_len = w->key_len,
                      .scale = 1 / real_sqrt((real)c.head_width)};
    attention_forward(&call, w->scratch);
    linear_forward(w->y, w->context, out, queries, c.width, all);
}

static double measure(CostWork *work, CostCall c, int times) {
    long lens = (long)c.batch * c.heads * c.queries;
    for (long i = 0; i < lens; i++)
        work->key_len[i] = c.keys;
    double before = clock_ms();
    for (int i = 0; i < times; i++)
        call_once(work, c);
    return (clock_ms() - before) / times;
}

/* --- rounds ----------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *numbers, int count) {
    qsort(numbers, (size_t)count, sizeof *numbers, by_size);
    return count % 2 ? numbers[count / 2] : (numbers[count / 2 - 1] + numbers[count / 2]) / 2;
}

/* Numbers in all buffers of a call. */
static double numbers_of(CostCall c) {
    long sizes[PARTS] = {0};
    double numbers = 0;
    part_sizes(sizes, c);
    for (int i = 0; i < PARTS; i++)
        numbers += (double)sizes[i];
    return numbers;
}

/* ms[i] = NAN for calls beyond the effort, 0 for the others. */
static void choose(double *ms, const CostCall *calls, int count, CostEffort effort) {
    double max_operations = 0, room = 0;
    for (int i = 0; i < count; i++) {
        double work = (effort.rounds + 1) * times_of(calls[i], effort) * work_of(calls[i]);
        double numbers = fmax(room, numbers_of(calls[i]));
        work += FILLING * (numbers - room);
        bool fits = max_operations + work <= effort.max_operations;
        ms[i] = fits ? 0 : NAN;
        if (!fits) continue;
        max_operations += work;
        room = numbers;
    }
}

bool cost_times(double *ms, const CostCall *calls, int count, CostEffort effort, Error *error) {
    CostWork work;
    if (effort.rounds > MAX_ROUNDS) effort.rounds = MAX_ROUNDS;
    choose(ms, calls, count, effort);
    double *rounds = malloc(((size_t)count + 1) * MAX_ROUNDS * sizeof *rounds);
    bool good = work_make(&work, calls, ms, count) && rounds;
    for (int round = -1; good && round < effort.rounds; round++) /* -1 warms up */
        for (int i = 0; i < count; i++) {
            if (isnan(ms[i])) continue;
            double took = measure(&work, calls[i], times_of(calls[i], effort));
            if (round >= 0) rounds[i * MAX_ROUNDS + round] = took;
        }
    for (int i = 0; good && i < count; i++)
        if (!isnan(ms[i])) ms[i] = median(&rounds[i * MAX_ROUNDS], effort.rounds);
    free(rounds);
    work_free(&work);
    return good || error_set(error, "out of memory to measure %d calls", count);
}
