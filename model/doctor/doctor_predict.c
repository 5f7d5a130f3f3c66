/* What a hypothesis says that a dump should hold, and how far the precision lets it be from that.
 *
 * The bounds: a number x of a tensor with roundoff u is off by u |x|; a sum of products of vectors
 * x and y by (u_x + u_y + c u) |x| |y|, which Cauchy and Schwarz give, c being the roundoffs of the
 * maker's own sum; so a score by some d, a weight by the factor exp(d + the mean of d in its
 * softmax), and a mix or a projection as its terms and its own sum are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/doctor/doctor_project.h"
#include "model/doctor/doctor_rows.h"

/* Numbers that may be kept of a softmax over the queries. */
enum { KEPT = 1 << 25 };

static int most(int a, int b) {
    return a > b ? a : b;
}

/* --- making ready ----------------------------------------------------------------------------- */

/* The maker's arithmetic is taken to be as coarse as the coarsest tensor that took part. */
static double work_of(const Patient *patient, const Segment *segment) {
    double work = patient->coarse;
    for (int part = 0; part < DUMP_PARTS; part++)
        if (patient_has(patient, (DumpPart)part) && segment_involves(segment, (DumpPart)part))
            work = fmax(work, patient_roundoff(patient, (DumpPart)part));
    return work;
}

/* A weight that may be off by this much tells nothing ... */
static const double MEANINGLESS = 0.3;

/* ... nor does another number that may be off by the largest of its tensor. Where all are 0, any
 * bound tells. */
static double reach_of(const Patient *patient, DumpPart part) {
    if (part == DUMP_WEIGHTS) return MEANINGLESS;
    const double *numbers = patient_numbers(patient, part);
    double reach = 0;
    for (long i = 0; i < patient_count(patient, part); i++)
        if (isfinite(numbers[i])) reach = fmax(reach, fabs(numbers[i]));
    return reach > 0 ? reach : INFINITY;
}

bool predictor_open(Predictor *p, Patient *patient, const Segment *segment) {
    AttentionSizes n = patient->sizes;
    *p = (Predictor){.patient = patient, .segment = segment};
    for (int i = 0; i < segment->target_count; i++)
        p->reach[i] = reach_of(patient, segment->targets[i]);
    size_t keys = (size_t)most(n.keys, n.queries), width = (size_t)patient->width;
    size_t cells = keys > width ? keys : width;
    size_t heads = (size_t)n.heads, plane = (size_t)most(n.heads, n.queries) * keys;
    p->keeps_planes = heads * (size_t)n.queries * keys <= KEPT;
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
        patient->no_memory = true;
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

static Projection projection_of(const Hypothesis *h, DumpPart part) {
    int which = (int)part - DUMP_QUERY;
    if (h->exchanged && part != DUMP_VALUE) which = 1 - which;
    bool from_keys = part == DUMP_QUERY ? h->query_from_keys
                     : part == DUMP_KEY ? !h->key_from_queries
                                        : !h->value_from_queries;
    return (Projection){which, from_keys, (h->turned >> which & 1) != 0,
                        (h->unbiased >> which & 1) != 0};
}

/* Query, key or value as the hypothesis has it. */
static Known known_of(Predictor *p, DumpPart part) {
    Patient *patient = p->patient;
    if (p->segment->given[part])
        return (Known){.numbers = patient_numbers(patient, part),
                       .relative = patient_roundoff(patient, part),
                       .flat = patient->slack[part],
                       .split = patient->dump->parts[part].split};
    if (!patient_can_project(patient, part)) return (Known){0};
    return projection_known(patient, projection_of(&p->hypothesis, part), p->work);
}

void predict_need(Predictor *p, DumpPart part, int b) {
    if (p->segment->given[part]) return;
    projection_need(p->patient, projection_of(&p->hypothesis, part), b, p->work);
}

static MaskSource mask_of(Predictor *p) {
    const Dump *dump = p->patient->dump;
    AttentionSizes n = p->sizes;
    long count = dump->per_query ? (long)n.batch * n.queries : n.batch;
    for (long i = 0; dump->valid_lens && i < count; i++) {
        int len = dump->valid_lens[i];
        p->lens[i] = len < 0 ? 0 : len > n.keys ? n.keys : len;
    }
    return (MaskSource){dump->valid_lens ? p->lens : NULL, dump->per_query, dump->causal};
}

bool predictor_set(Predictor *p, const Hypothesis *hypothesis) {
    const Patient *patient = p->patient;
    p->hypothesis = *hypothesis;
    p->sizes = patient->sizes;
    p->work = work_of(patient, p->segment);
    AttentionSizes *n = &p->sizes;
    bool alike = n->queries == n->keys;
    if (!alike && (hypothesis->query_from_keys || hypothesis->swapped)) return false;
    if (!alike && (hypothesis->key_from_queries || hypothesis->value_from_queries)) {
        /* Where nothing but the queries' steps shows, keys and values may have as many. */
        bool shows = p->segment->given[DUMP_KEY] || p->segment->given[DUMP_VALUE] ||
                     p->segment->given[DUMP_WEIGHTS] || p->segment->until < STAGE_MIX;
        if (shows || !hypothesis->key_from_queries || !hypothesis->value_from_queries) return false;
        n->keys = n->queries;
    }
    p->query = known_of(p, DUMP_QUERY);
    p->key = known_of(p, DUMP_KEY);
    p->value = known_of(p, DUMP_VALUE);
    p->rule = attention_rule_make(hypothesis->attention, mask_of(p), *n, p->room);
    if (p->query.split)
        p->rule.query = fold_of_kind(FOLD_RESHAPE, n->queries, n->heads, n->head_width);
    if (p->key.split) p->rule.key = fold_of_kind(FOLD_RESHAPE, n->keys, n->heads, n->head_width);
    if (p->value.split)
        p->rule.value = fold_of_kind(FOLD_RESHAPE, n->keys, n->heads, n->head_width);
    p->plane_b = p->plane_at = p->norm_b = -1;
    p->empty = EMPTY_ROW_ZERO;
    return !patient->no_memory;
}

/* --- contexts --------------------------------------------------------------------------------- */

/* The mix of values of one query of one head, D numbers and the bounds of their errors. */
static void mix(Predictor *p, double *mixed, double *errors, Unit at) {
    row_of_mix(p, at);
    predict_need(p, DUMP_VALUE, at.b);
    int width = p->sizes.head_width;
    HeadFold fold = p->rule.value;
    long step = head_fold_step(fold);
    double more = sum_roundoffs(p->patient, p->sizes.keys, p->work) * p->work, flat = 0;
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
        double rows = p->value.rows ? p->value.rows[first / p->patient->width] : 0;
        flat += fabs(weight) * (p->value.flat + rows);
    }
    for (int i = 0; i < width; i++)
        errors[i] += flat;
}

/* Element i of the k-th piece of a step of the packed context [B,Tq,W], and whose it is: the other
 * way round than a fold. */
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

/* A step of the packed context and the bounds of its errors. */
static void context_row(Predictor *p, int b, int t) {
    const Patient *patient = p->patient;
    AttentionSizes n = p->sizes;
    if (!p->segment->given[DUMP_CONTEXT]) {
        for (int k = 0; k < n.heads; k++) {
            /* sum is free here unless weights are averaged, and then only within row_of_mix. */
            mix(p, p->predicted, p->allowed, piece_of(p, b, t, k));
            for (int i = 0; i < n.head_width; i++) {
                p->context[column_of(p, k, i)] = p->predicted[i];
                p->context_error[column_of(p, k, i)] = p->allowed[i];
            }
        }
        return;
    }
    const double *given = patient_numbers(patient, DUMP_CONTEXT);
    bool split = patient->dump->parts[DUMP_CONTEXT].split;
    HeadFold fold = fold_of_kind(FOLD_RESHAPE, n.queries, n.heads, n.head_width);
    for (int k = 0; k < n.heads; k++)
        for (int i = 0; i < n.head_width; i++) {
            Unit from = piece_of(p, b, t, k);
            int column = column_of(p, k, i);
            long at = split ? head_fold_at(fold, b, from.h, from.t, i)
                            : ((long)b * n.queries + t) * patient->width + column;
            p->context[column] = given[at];
            p->context_error[column] = patient_roundoff(patient, DUMP_CONTEXT) * fabs(given[at]) +
                                       patient->slack[DUMP_CONTEXT];
        }
}

/* --- units ------------------------------------------------------------------------------------ */

static void predict_weights(Predictor *p, Unit unit) {
    bool averaged = p->patient->dump->parts[DUMP_WEIGHTS].averaged;
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
    bool split = p->patient->dump->parts[DUMP_CONTEXT].split;
    HeadFold fold =
        split ? fold_of_kind(FOLD_RESHAPE, n.queries, n.heads, n.head_width) : p->rule.context;
    mix(p, p->predicted, p->allowed, unit);
    p->cells = n.head_width;
    for (int i = 0; i < p->cells; i++)
        p->at[i] = head_fold_at(fold, unit.b, unit.h, unit.t, i);
}

static void predict_output(Predictor *p, Unit unit) {
    const Patient *patient = p->patient;
    int width = patient->width;
    context_row(p, unit.b, unit.t);
    double norm = 0, off = 0, bias = 0;
    for (int i = 0; i < width; i++) {
        norm += p->context[i] * p->context[i];
        off += p->context_error[i] * p->context_error[i];
    }
    bool turned = (p->hypothesis.turned >> 3 & 1) != 0;
    bool unbiased = (p->hypothesis.unbiased >> 3 & 1) != 0;
    const double *added = patient_numbers(patient, DUMP_B_O);
    for (int i = 0; added && i < width; i++)
        bias = fmax(bias, fabs(added[i]));
    double more =
        sum_roundoffs(p->patient, width, p->work) * p->work + patient_roundoff(patient, DUMP_W_O);
    double share = sum_share(patient, width, p->work);
    double error = share * patient->largest_norm[3][turned] * (sqrt(off) + more * sqrt(norm)) +
                   p->work * bias + patient->slack[DUMP_W_O] * sqrt(norm * width);
    p->cells = width;
    if (!p->hypothesis.unprojected)
        project_row(p->predicted, p->context, patient, 3, turned, unbiased);
    for (int i = 0; i < width; i++) {
        p->allowed[i] = p->hypothesis.unprojected ? p->context_error[i] : error;
        if (p->hypothesis.unprojected) p->predicted[i] = p->context[i];
        p->at[i] = ((long)unit.b * p->sizes.queries + unit.t) * width + i;
    }
}

/* A step of query, key or value, as the projection gives it. */
static void predict_projection(Predictor *p, Unit unit, DumpPart part) {
    Patient *patient = p->patient;
    AttentionSizes n = p->sizes;
    int steps = patient_steps(patient, part), width = patient->width;
    predict_need(p, part, unit.b);
    Known known = part == DUMP_QUERY ? p->query : part == DUMP_KEY ? p->key : p->value;
    bool split = patient->dump->parts[part].split;
    FoldKind way = split ? p->hypothesis.attention.split : FOLD_SLICES;
    HeadFold from = fold_of_kind(way, steps, n.heads, n.head_width);
    HeadFold to = fold_of_kind(split ? FOLD_RESHAPE : FOLD_SLICES, steps, n.heads, n.head_width);
    p->cells = width;
    for (int h = 0; h < n.heads; h++)
        for (int i = 0; i < n.head_width; i++) {
            long at = head_fold_at(from, unit.b, h, unit.t, i);
            int cell = h * n.head_width + i;
            p->predicted[cell] = known.numbers[at];
            p->allowed[cell] = known.rows[at / width];
            p->at[cell] = head_fold_at(to, unit.b, h, unit.t, i);
        }
}

/* Bounds of bounds grow with every stage, errors of either sign hardly do. */
static double chain_share(const Segment *segment) {
    return ldexp(1, (int)segment->from - (int)segment->until);
}

void predict_unit(Predictor *p, Unit unit) {
    DumpPart part = p->segment->targets[unit.target];
    const DumpTensor *tensor = &p->patient->dump->parts[part];
    p->met_empty = false;
    if (part == DUMP_WEIGHTS)
        predict_weights(p, unit);
    else if (part == DUMP_CONTEXT)
        predict_context(p, unit);
    else if (part == DUMP_OUTPUT)
        predict_output(p, unit);
    else
        predict_projection(p, unit, part);
    double roundoff = patient_roundoff(p->patient, part), slack = p->patient->slack[part];
    double floor = precision_floor(tensor->precision);
    if (p->patient->coarse > 0) floor = fmax(floor, precision_floor(PRECISION_F16));
    double share = p->patient->tight ? chain_share(p->segment) : 1;
    for (int i = 0; i < p->cells; i++)
        p->allowed[i] = share * p->allowed[i] + roundoff * fabs(p->predicted[i]) + slack + floor;
}

static bool has_heads(DumpPart part) {
    return part == DUMP_WEIGHTS || part == DUMP_CONTEXT;
}

long predictor_units(const Predictor *p, int target) {
    DumpPart part = p->segment->targets[target];
    AttentionSizes n = p->patient->sizes;
    return (long)n.batch * patient_steps(p->patient, part) * (has_heads(part) ? n.heads : 1);
}

/* A softmax over heads is computed a query at a time, the others a head at a time. */
Unit predictor_unit(const Predictor *p, int target, long index) {
    DumpPart part = p->segment->targets[target];
    int steps = patient_steps(p->patient, part), heads = has_heads(part) ? p->sizes.heads : 1;
    long within = index % ((long)steps * heads);
    int b = (int)(index / ((long)steps * heads));
    if (p->rule.softmax == SOFTMAX_HEADS)
        return (Unit){target, b, (int)(within % heads), (int)(within / heads)};
    return (Unit){target, b, (int)(within / steps), (int)(within % steps)};
}
