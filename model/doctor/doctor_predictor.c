#include "model/doctor/doctor_predictor.h"

#include <math.h>
#include <stdlib.h>

#include "model/base/minmax.h"

/* The most weights that are kept for a softmax over the queries. */
enum { MAX_KEPT = 1 << 25 };

/* The dump's arithmetic is assumed to be as coarse as the coarsest tensor involved. */
static double work_of(const PreparedDump *prepared, const Segment *segment) {
    double work = prepared->half_roundoff;
    for (int part = 0; part < DUMP_PARTS; part++)
        if (prepared_has(prepared, (DumpPart)part) && segment_involves(segment, (DumpPart)part))
            work = fmax(work, prepared_roundoff(prepared, (DumpPart)part));
    return work;
}

/* The smallest bound that proves nothing: 0.3 of a weight, the largest number of any other tensor
 * (INFINITY if all are 0: there any bound proves something). */
static double meaningless_bound(const PreparedDump *prepared, DumpPart part) {
    if (part == DUMP_WEIGHTS) return 0.3;
    const double *numbers = prepared_numbers(prepared, part);
    double largest = 0;
    for (long i = 0; i < prepared_count(prepared, part); i++)
        if (isfinite(numbers[i])) largest = fmax(largest, fabs(numbers[i]));
    return largest > 0 ? largest : INFINITY;
}

bool predictor_open(Predictor *p, PreparedDump *prepared, const Segment *segment) {
    AttentionSizes n = prepared->sizes;
    *p = (Predictor){.prepared = prepared, .segment = segment};
    for (int i = 0; i < segment->target_count; i++)
        p->meaningless[i] = meaningless_bound(prepared, segment->targets[i]);
    size_t keys = (size_t)int_max(n.keys, n.queries), width = (size_t)prepared->width;
    size_t cells = keys > width ? keys : width;
    size_t heads = (size_t)n.heads, plane = (size_t)int_max(n.heads, n.queries) * keys;
    p->keeps_planes = heads * (size_t)n.queries * keys <= MAX_KEPT;
    if (p->keeps_planes && plane < heads * (size_t)n.queries * keys)
        plane = heads * (size_t)n.queries * keys;
    double *block =
        malloc((4 * cells + 2 * keys + 2 * heads * keys + plane + 2 * width) * sizeof *block);
    p->plane_done = calloc(2 * heads, sizeof *p->plane_done);
    p->at = calloc(cells, sizeof *p->at);
    p->room = calloc((size_t)(attention_rule_room(n) + 2L * n.heads), sizeof *p->room);
    p->lens = calloc((size_t)n.batch * (size_t)n.queries, sizeof *p->lens);
    p->predicted = block;
    if (!block || !p->at || !p->room || !p->lens || !p->plane_done) {
        predictor_close(p);
        prepared->no_memory = true;
        return false;
    }
    p->allowed = p->predicted + cells;
    p->sum = p->allowed + cells;
    p->sum_error = p->sum + cells;
    p->row = p->sum_error + cells;
    p->row_error = p->row + keys;
    p->key_norm = p->row_error + keys;
    p->key_error = p->key_norm + heads * keys;
    p->plane = p->key_error + heads * keys;
    p->norm_done = p->plane_done + heads;
    p->context = p->plane + plane;
    p->context_error = p->context + width;
    return true;
}

void predictor_close(Predictor *p) {
    free(p->predicted);
    free(p->at);
    free(p->room);
    free(p->lens);
    free(p->plane_done);
    *p = (Predictor){0};
}

static bool key_from_queries(const Hypothesis *h) {
    return hypothesis_has(h, MISTAKE_K_FROM_DECODER) || hypothesis_has(h, MISTAKE_KV_FROM_DECODER);
}

static bool value_from_queries(const Hypothesis *h) {
    return hypothesis_has(h, MISTAKE_V_FROM_DECODER) || hypothesis_has(h, MISTAKE_KV_FROM_DECODER);
}

static Projection projection_of(const Hypothesis *h, DumpPart part) {
    int which = (int)part - DUMP_QUERY;
    if (h->exchanged && part != DUMP_VALUE) which = 1 - which;
    bool from_keys = part == DUMP_QUERY ? hypothesis_has(h, MISTAKE_Q_FROM_ENCODER)
                     : part == DUMP_KEY ? !key_from_queries(h)
                                        : !value_from_queries(h);
    return (Projection){which, from_keys, (h->transposed >> which & 1) != 0,
                        (h->no_bias >> which & 1) != 0};
}

/* Query, key or value under the hypothesis. */
static BoundedTensor tensor_of(Predictor *p, DumpPart part) {
    PreparedDump *prepared = p->prepared;
    if (p->segment->given[part])
        return (BoundedTensor){.numbers = prepared_numbers(prepared, part),
                               .relative = prepared_roundoff(prepared, part),
                               .flat = prepared->decimal_error[part],
                               .split = prepared->dump->parts[part].split};
    if (!prepared_can_project(prepared, part)) return (BoundedTensor){0};
    return projection_tensor(prepared, projection_of(&p->hypothesis, part), p->work);
}

void predictor_project(Predictor *p, DumpPart part, int b) {
    if (p->segment->given[part]) return;
    projection_compute(p->prepared, projection_of(&p->hypothesis, part), b, p->work);
}

bool predictor_set(Predictor *p, const Hypothesis *hypothesis) {
    const PreparedDump *prepared = p->prepared;
    p->hypothesis = *hypothesis;
    p->sizes = prepared->sizes;
    p->work = work_of(prepared, p->segment);
    AttentionSizes *n = &p->sizes;
    bool square = n->queries == n->keys;
    bool key_wrong = key_from_queries(hypothesis), value_wrong = value_from_queries(hypothesis);
    if (!square && (hypothesis->swapped || hypothesis_has(hypothesis, MISTAKE_Q_FROM_ENCODER)))
        return false;
    if (!square && (key_wrong || value_wrong)) {
        /* If no given tensor shows how many keys there were, there may have been Tq. */
        bool shows_keys = p->segment->given[DUMP_KEY] || p->segment->given[DUMP_VALUE] ||
                          p->segment->given[DUMP_WEIGHTS] || p->segment->until < STAGE_MIX;
        if (shows_keys || !key_wrong || !value_wrong) return false;
        n->keys = n->queries;
    }
    p->query = tensor_of(p, DUMP_QUERY);
    p->key = tensor_of(p, DUMP_KEY);
    p->value = tensor_of(p, DUMP_VALUE);
    p->rule = attention_rule_make(hypothesis->attention, prepared_mask(prepared, n->keys, p->lens),
                                  *n, p->room);
    if (p->query.split)
        p->rule.query = fold_of_kind(FOLD_RESHAPE, n->queries, n->heads, n->head_width);
    if (p->key.split) p->rule.key = fold_of_kind(FOLD_RESHAPE, n->keys, n->heads, n->head_width);
    if (p->value.split)
        p->rule.value = fold_of_kind(FOLD_RESHAPE, n->keys, n->heads, n->head_width);
    p->plane_b = p->plane_at = p->norm_b = -1;
    p->empty = EMPTY_ROW_ZERO;
    return !prepared->no_memory;
}
