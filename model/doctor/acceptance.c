#include "model/doctor/acceptance.h"

#include <math.h>
#include <stdlib.h>

#include "model/doctor/prepared_dump.h"

double acceptance_allowed(DumpPrecision precision, int width, double largest) {
    bool half = precision == PRECISION_F16 || precision == PRECISION_BF16;
    double units = half ? 16 : 8 * sqrt((double)width);
    return units * precision_roundoff(precision) * largest;
}

/* --- answers ---------------------------------------------------------------------------------- */

/* The number of elements of output, and of context; of weights. */
static long output_size(AttentionSizes n) {
    return (long)n.batch * n.queries * n.heads * n.head_width;
}

static long weights_size(AttentionSizes n) {
    return (long)n.batch * n.heads * n.queries * n.keys;
}

bool acceptance_answer_make(AcceptanceAnswer *answer, AttentionSizes n, DumpPrecision precision,
                            Error *error) {
    long outputs = output_size(n), all = 2 * outputs + weights_size(n);
    double *block = malloc((size_t)all * sizeof *block);
    *answer = (AcceptanceAnswer){0};
    if (!block) return error_set(error, "out of memory for an answer of attention");
    for (long i = 0; i < all; i++)
        block[i] = NAN;
    *answer = (AcceptanceAnswer){
        .output = {block, precision},
        .context = {block + outputs, precision},
        .weights = {block + 2 * outputs, precision},
        .block = block,
    };
    return true;
}

void acceptance_answer_free(AcceptanceAnswer *answer) {
    free(answer->block);
    *answer = (AcceptanceAnswer){0};
}

/* --- the plain block -------------------------------------------------------------------------- */

/* y[rows,out] = x[rows,width] w^T + b, with rows `first` to first + out - 1 of w [.,width]. */
static void project(double *y, const double *x, const double *w, const double *b, long rows,
                    int first, int out, int width) {
    for (long r = 0; r < rows; r++)
        for (int o = 0; o < out; o++) {
            double sum = b ? b[first + o] : 0;
            for (int i = 0; i < width; i++)
                sum += x[r * width + i] * w[(long)(first + o) * width + i];
            y[r * out + o] = sum;
        }
}

/* Query, key and value of some heads, and scratch space for their rule. */
typedef struct HeadProjections {
    double *query, *key, *value; /* [B*Tq,heads*D], [B*Tk,heads*D] twice */
    int *room;
} HeadProjections;

static bool head_projections_make(HeadProjections *p, AttentionSizes n, Error *error) {
    size_t width = (size_t)n.heads * (size_t)n.head_width;
    size_t queries = (size_t)n.batch * (size_t)n.queries * width;
    size_t keys = (size_t)n.batch * (size_t)n.keys * width;
    p->query = malloc((queries + 2 * keys) * sizeof *p->query);
    p->room = malloc((size_t)attention_rule_room(n) * sizeof *p->room);
    if (p->query && p->room) {
        p->key = p->query + queries;
        p->value = p->key + keys;
        return true;
    }
    free(p->query);
    free(p->room);
    return error_set(error, "out of memory for queries and keys");
}

static void head_projections_free(HeadProjections *p) {
    free(p->query);
    free(p->room);
}

/* Projects n.heads heads, from `head` on. */
static void project_heads(HeadProjections *p, const AcceptanceCall *call, AttentionSizes n,
                          int head) {
    int width = call->sizes.heads * call->sizes.head_width, out = n.heads * n.head_width;
    int first = head * n.head_width;
    long queries = (long)n.batch * n.queries, keys = (long)n.batch * n.keys;
    project(p->query, call->x_query, call->w[PROJECTION_Q], call->b[PROJECTION_Q], queries, first,
            out, width);
    project(p->key, call->x_key_value, call->w[PROJECTION_K], call->b[PROJECTION_K], keys, first,
            out, width);
    project(p->value, call->x_key_value, call->w[PROJECTION_V], call->b[PROJECTION_V], keys, first,
            out, width);
}

static void project_output(double *output, const double *context, const AcceptanceCall *call) {
    AttentionSizes n = call->sizes;
    int width = n.heads * n.head_width;
    project(output, context, call->w[PROJECTION_O], call->b[PROJECTION_O],
            (long)n.batch * n.queries, 0, width, width);
}

bool acceptance_plain(const void *context, AcceptanceAnswer *answer, const AcceptanceCall *call,
                      Error *error) {
    AttentionSizes n = call->sizes;
    AttentionMistakes mistakes =
        context ? *(const AttentionMistakes *)context : (AttentionMistakes){0};
    HeadProjections p = {0};
    if (!acceptance_answer_make(answer, n, PRECISION_F64, error)) return false;
    if (!head_projections_make(&p, n, error)) {
        acceptance_answer_free(answer);
        return false;
    }
    double *output = answer->block, *mixed = output + output_size(n);
    project_heads(&p, call, n, 0);
    AttentionRule rule = attention_rule_make(mistakes, call->mask, n, p.room);
    attention_plain_forward(mixed, mixed + output_size(n), p.query, p.key, p.value, &rule, n);
    project_output(output, mixed, call);
    head_projections_free(&p);
    return true;
}

/* --- the reference ---------------------------------------------------------------------------- */

/* Runs one head as a single-head call and stores its map, mix and values at the head's place. */
static void run_head(const AcceptanceReference *reference, const AcceptanceCall *call,
                     HeadProjections *p, double *alone, int head) {
    AttentionSizes n = call->sizes, one = n;
    one.heads = 1;
    double *context = reference->answer.block + output_size(n);
    double *weights = context + output_size(n);
    double *mix = alone + weights_size(one);
    project_heads(p, call, one, head);
    AttentionRule rule = attention_rule_make((AttentionMistakes){0}, call->mask, one, p->room);
    attention_plain_forward(mix, alone, p->query, p->key, p->value, &rule, one);
    for (int b = 0; b < n.batch; b++)
        for (int t = 0; t < n.queries; t++) {
            long row = (long)b * n.queries + t;
            for (int j = 0; j < n.keys; j++)
                weights[(((long)b * n.heads + head) * n.queries + t) * n.keys + j] =
                    alone[row * n.keys + j];
            for (int i = 0; i < n.head_width; i++)
                context[(row * n.heads + head) * n.head_width + i] = mix[row * n.head_width + i];
            reference->visible[row] = rule.key_end[row];
        }
    for (long row = 0; row < (long)n.batch * n.keys; row++)
        for (int i = 0; i < n.head_width; i++)
            reference->values[(row * n.heads + head) * n.head_width + i] =
                p->value[row * n.head_width + i];
}

bool acceptance_reference_make(AcceptanceReference *reference, const AcceptanceCall *call,
                               Error *error) {
    AttentionSizes n = call->sizes, one = n;
    one.heads = 1;
    HeadProjections p = {0};
    size_t rows = (size_t)n.batch * (size_t)n.queries;
    *reference = (AcceptanceReference){0};
    if (!acceptance_answer_make(&reference->answer, n, PRECISION_F64, error)) return false;
    double *alone = malloc((size_t)(weights_size(one) + output_size(one)) * sizeof *alone);
    reference->visible = malloc(rows * sizeof *reference->visible);
    size_t values = (size_t)n.batch * (size_t)n.keys * (size_t)n.heads * (size_t)n.head_width;
    reference->values = malloc(values * sizeof *reference->values);
    bool good = alone && reference->visible && reference->values;
    if (!good) error_set(error, "out of memory for single-head calls");
    if (good && (good = head_projections_make(&p, one, error))) {
        for (int h = 0; h < n.heads; h++)
            run_head(reference, call, &p, alone, h);
        project_output(reference->answer.block, reference->answer.context.numbers, call);
        reference->min_head_gap = acceptance_min_head_gap(&reference->answer, n, reference->visible,
                                                          &reference->max_head_gap, NULL);
        head_projections_free(&p);
    }
    free(alone);
    if (!good) acceptance_reference_free(reference);
    return good;
}

void acceptance_reference_free(AcceptanceReference *reference) {
    acceptance_answer_free(&reference->answer);
    free(reference->visible);
    free(reference->values);
    *reference = (AcceptanceReference){0};
}

/* --- gaps between heads ----------------------------------------------------------------------- */

/* The largest difference between two heads' maps, over queries that see two keys or more; NaN if
 * there is no such query. */
static double pair_gap(const double *a, const double *b, AttentionSizes n, const int *visible) {
    double largest = NAN;
    for (int t = 0; t < n.queries; t++)
        for (int j = 0; j < n.keys && visible[t] >= 2; j++) {
            long at = (long)t * n.keys + j;
            largest = fmax(largest, fabs(a[at] - b[at])); /* fmax ignores a NaN */
        }
    return largest;
}

double acceptance_min_head_gap(const AcceptanceAnswer *answer, AttentionSizes n, const int *visible,
                               double *largest, DoctorPlace *place) {
    double smallest = NAN, most = NAN;
    long map = (long)n.queries * n.keys;
    for (int b = 0; b < n.batch; b++)
        for (int g = 0; g < n.heads; g++)
            for (int h = 0; h < g; h++) {
                const double *maps = answer->weights.numbers + (long)b * n.heads * map;
                double gap = pair_gap(maps + h * map, maps + g * map, n, visible + b * n.queries);
                most = fmax(most, gap);
                if (isnan(gap) || gap >= smallest) continue;
                smallest = gap;
                if (place) *place = (DoctorPlace){b, g, -1, -1};
            }
    if (largest) *largest = most;
    return smallest;
}
