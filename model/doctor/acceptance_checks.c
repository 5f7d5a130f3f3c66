/* The texts of all checks, and the checks of one answer. */
#include "model/doctor/acceptance.h"

#include <math.h>
#include <stdlib.h>

typedef struct CheckText {
    const char *name, *title, *mend;
} CheckText;

static const CheckText texts[ACCEPT_CHECKS] = {
    [ACCEPT_OUTPUT_SHAPE] = {"output-shape", "output has the shape of its queries, and is finite",
                             "Bring the heads back side by side, (batch, queries, width), before "
                             "the output projection."},
    [ACCEPT_WEIGHTS_SHAPE] = {"weights-shape", "weights hold one map for each head, and are finite",
                              "Keep (batch, heads, queries, keys) or (batch x heads, queries, "
                              "keys); nn.MultiheadAttention averages over heads unless it is "
                              "called with average_attn_weights=False."},
    [ACCEPT_ROWS] = {"rows", "each query's weights sum to 1",
                     "The softmax runs over the keys, the last axis, after the mask; switch "
                     "dropout off with model.eval()."},
    [ACCEPT_HIDDEN] = {"hidden", "hidden key slots get weight 0",
                       "Put -1e6 or -inf on hidden scores before the softmax, with valid lengths "
                       "repeated once a head (repeat_interleave), not tiled."},
    [ACCEPT_SLOTS] = {"slots", "the same slots are zero in every head",
                      "Folded row b*H + h belongs to example b: repeat each valid length H times "
                      "in a row (repeat_interleave), do not tile the list."},
    [ACCEPT_SEEN] = {"seen", "every visible key slot gets some weight",
                     "A length of 3 shows keys 0, 1 and 2, and a causal mask shows a query its own "
                     "step: compare with < for lengths and <= for steps."},
    [ACCEPT_HEADS] = {"heads", "each map is that of a single-head call",
                      "Split the width first, (batch, steps, heads, width/heads), and swap steps "
                      "and heads after; divide scores by the root of the head's width."},
    [ACCEPT_DISTINCT] = {"distinct", "no two heads give the same map",
                         "Each head reads columns of its own: look at the split, and at an average "
                         "over heads."},
    [ACCEPT_CHUNKS] = {"chunks", "context holds, chunk by chunk, what each head mixes",
                       "Swap heads and steps back before the reshape to (batch, queries, width): "
                       "head h goes to columns h*D to h*D + D - 1."},
    [ACCEPT_PROJECTION] = {"projection", "output is context times the output projection",
                           "output = context w_o^T + b_o: look for a projection left out, a "
                           "transposed one, or a bias left out."},
    [ACCEPT_OUTPUT] =
        {"output", "output is that of single-head calls side by side",
         "Save weights and context as well: the checks on them tell which step it is."},
    [ACCEPT_PADDING] = {"padding", "what stands in padding changes nothing",
                        "Something reads hidden keys: a mask that adds too little, or one after "
                        "the softmax."},
    [ACCEPT_EXAMPLES] = {"examples", "one example does not change another",
                         "A fold mixes examples: keep the batch the first axis of every reshape."},
    [ACCEPT_FUTURE] = {"future", "later steps change nothing before them",
                       "The causal mask is missing or off by one."},
};

const char *acceptance_check_name(AcceptanceCheck check) {
    return texts[check].name;
}

const char *acceptance_check_title(AcceptanceCheck check) {
    return texts[check].title;
}

const char *acceptance_check_mend(AcceptanceCheck check) {
    return texts[check].mend;
}

/* --- findings --------------------------------------------------------------------------------- */

/* The inputs of a check. */
typedef struct Case {
    AttentionSizes n;
    const AcceptanceCall *call;
    const AcceptanceReference *reference;
    const AcceptanceAnswer *answer;
} Case;

/* The largest of some differences; {0}: none yet. */
typedef struct Gap {
    double value; /* NaN counts as infinite */
    long count;
    DoctorPlace place;
} Gap;

static void gap_add(Gap *gap, double difference, DoctorPlace place) {
    if (isnan(difference)) difference = INFINITY;
    difference = fabs(difference);
    if (gap->count++ && difference <= gap->value) return;
    gap->value = difference;
    gap->place = place;
}

static AcceptanceFinding not_checked(const char *why) {
    return (AcceptanceFinding){.why = why, .place = NO_PLACE};
}

static const char nothing_seen[] = "no query sees a key in this call";

/* Passed if the gap is allowed, or if `count` equals `of`. Not checked if there was nothing to
 * compare. */
static AcceptanceFinding finding_of_gap(Gap gap, double allowed) {
    if (!gap.count) return not_checked(nothing_seen);
    return (AcceptanceFinding){.state = gap.value <= allowed ? ACCEPT_PASSED : ACCEPT_FAILED,
                               .value = gap.value,
                               .allowed = allowed,
                               .of = gap.count,
                               .place = gap.place};
}

static AcceptanceFinding finding_of_count(long count, long of, DoctorPlace first_bad) {
    if (!of) return not_checked(nothing_seen);
    return (AcceptanceFinding){.state = count == of ? ACCEPT_PASSED : ACCEPT_FAILED,
                               .counts = true,
                               .count = count,
                               .of = of,
                               .place = first_bad};
}

static int width_of(AttentionSizes n) {
    return n.heads * n.head_width;
}

static int visible_keys(Case c, int b, int t) {
    return c.reference->visible[b * c.n.queries + t];
}

static long cell_of(AttentionSizes n, DoctorPlace at) {
    return (((long)at.example * n.heads + at.head) * n.queries + at.query) * n.keys + at.key;
}

static double largest_of(const double *numbers, long count) {
    double largest = 0;
    for (long i = 0; i < count; i++)
        largest = fmax(largest, fabs(numbers[i]));
    return largest;
}

/* The difference that rounding explains between a tensor and its right numbers [B,Tq,W]. */
static double allowed_of(AcceptanceTensor tensor, const double *right, AttentionSizes n) {
    int width = width_of(n);
    return acceptance_allowed(tensor.precision, width,
                              largest_of(right, (long)n.batch * n.queries * width));
}

/* Moves to the next cell of [B,H,Tq,Tk] of a query that sees a key. Start at BEFORE_CELLS. */
#define BEFORE_CELLS ((DoctorPlace){0, 0, 0, -1})

static bool next_cell(Case c, DoctorPlace *at) {
    AttentionSizes n = c.n;
    do {
        if (++at->key < n.keys) continue;
        at->key = 0;
        if (++at->query < n.queries) continue;
        at->query = 0;
        if (++at->head < n.heads) continue;
        at->head = 0;
        if (++at->example == n.batch) return false;
    } while (!visible_keys(c, at->example, at->query));
    return true;
}

/* --- weights ---------------------------------------------------------------------------------- */

static const char no_weights[] = "there are no weights of each head to look at";

static AcceptanceFinding check_weights_shape(Case c) {
    long good = 0, all = 0;
    DoctorPlace first = NO_PLACE;
    for (DoctorPlace at = BEFORE_CELLS; next_cell(c, &at); all++) {
        bool finite = isfinite(c.answer->weights.numbers[cell_of(c.n, at)]);
        if (!finite && good == all) first = at;
        good += finite;
    }
    return finding_of_count(good, all, first);
}

static AcceptanceFinding check_rows(Case c) {
    AttentionSizes n = c.n;
    Gap gap = {0};
    double sum = 0;
    for (DoctorPlace at = BEFORE_CELLS; next_cell(c, &at);) {
        sum = (at.key ? sum : 0) + c.answer->weights.numbers[cell_of(n, at)];
        if (at.key == n.keys - 1)
            gap_add(&gap, sum - 1, (DoctorPlace){at.example, at.head, at.query, -1});
    }
    return finding_of_gap(gap, acceptance_allowed(c.answer->weights.precision, width_of(n), 1));
}

static bool is_hidden(Case c, DoctorPlace at) {
    return at.key >= visible_keys(c, at.example, at.query);
}

/* A weight up to here counts as 0: a float sum of 1 does not change by it. */
static const double none = 0x1p-24;

/* True if a correct block of any precision gives the slot a weight that is not 0. A mask leaves
 * exactly 0 (exp(-1e6) is 0 in every number type), but so may a sharp softmax in low precision:
 * such slots are not checked. */
static bool has_weight(Case c, DoctorPlace at) {
    return !is_hidden(c, at) && c.reference->answer.weights.numbers[cell_of(c.n, at)] > 64 * none;
}

static AcceptanceFinding check_hidden(Case c) {
    Gap gap = {0};
    for (DoctorPlace at = BEFORE_CELLS; next_cell(c, &at);)
        if (is_hidden(c, at)) gap_add(&gap, c.answer->weights.numbers[cell_of(c.n, at)], at);
    return gap.count ? finding_of_gap(gap, none)
                     : not_checked("no key slot is hidden in this call");
}

static AcceptanceFinding check_seen(Case c) {
    long good = 0, all = 0;
    DoctorPlace first = NO_PLACE;
    for (DoctorPlace at = BEFORE_CELLS; next_cell(c, &at);) {
        if (!has_weight(c, at)) continue;
        bool seen = c.answer->weights.numbers[cell_of(c.n, at)] != 0;
        if (!seen && good == all) first = at;
        good += seen;
        all++;
    }
    return finding_of_count(good, all, first);
}

/* True if head h gives key slot j of example b no weight, whatever the query. *decidable: a correct
 * block gives it either exactly 0 or a weight that is not 0. */
static bool is_zero_slot(Case c, int b, int h, int j, bool *decidable) {
    bool zero = true, hidden = true, weighed = false;
    for (int t = 0; t < c.n.queries; t++) {
        DoctorPlace at = {b, h, t, j};
        if (!visible_keys(c, b, t)) continue;
        zero = zero && c.answer->weights.numbers[cell_of(c.n, at)] == 0;
        hidden = hidden && is_hidden(c, at);
        weighed = weighed || has_weight(c, at);
    }
    *decidable = hidden || weighed;
    return zero;
}

/* The first slot that is 0 in head h or in head 0, but not in both; -1: none. */
static int differing_slot(Case c, int b, int h) {
    for (int j = 0; j < c.n.keys; j++) {
        bool decidable, decidable_0, zero = is_zero_slot(c, b, h, j, &decidable);
        if (zero != is_zero_slot(c, b, 0, j, &decidable_0) && decidable && decidable_0) return j;
    }
    return -1;
}

static AcceptanceFinding check_slots(Case c) {
    long good = 0, all = 0;
    DoctorPlace first = NO_PLACE;
    bool hidden = false;
    for (DoctorPlace at = BEFORE_CELLS; next_cell(c, &at);)
        hidden = hidden || is_hidden(c, at);
    if (!hidden) return not_checked("no key slot is hidden in this call");
    if (c.n.heads == 1) return not_checked("there is one head");
    for (int b = 0; b < c.n.batch; b++)
        for (int h = 1; h < c.n.heads; h++, all++) {
            int slot = differing_slot(c, b, h);
            if (slot >= 0 && good == all) first = (DoctorPlace){b, h, -1, slot};
            good += slot < 0;
        }
    return finding_of_count(good, all, first);
}

static AcceptanceFinding check_heads(Case c) {
    const double *right = c.reference->answer.weights.numbers;
    Gap gap = {0};
    for (DoctorPlace at = BEFORE_CELLS; next_cell(c, &at);) {
        long i = cell_of(c.n, at);
        gap_add(&gap, c.answer->weights.numbers[i] - right[i], at);
    }
    return finding_of_gap(gap, acceptance_allowed(c.answer->weights.precision, width_of(c.n), 1));
}

static AcceptanceFinding check_distinct(Case c) {
    DumpPrecision precision = c.answer->weights.precision;
    double rounding = acceptance_allowed(precision, width_of(c.n), 1);
    DoctorPlace place = NO_PLACE;
    if (c.n.heads == 1) return not_checked("there is one head");
    if (isnan(c.reference->min_head_gap)) return not_checked("no query sees two keys");
    if (c.reference->min_head_gap <= 2 * rounding)
        return not_checked("the right maps are alike as well: this input cannot tell heads apart");
    double found = acceptance_min_head_gap(c.answer, c.n, c.reference->visible, NULL, &place);
    return (AcceptanceFinding){.state = found > rounding ? ACCEPT_PASSED : ACCEPT_FAILED,
                               .value = found,
                               .allowed = rounding,
                               .of = (long)c.n.batch * c.n.heads * (c.n.heads - 1) / 2,
                               .place = place};
}

static void check_weights(AcceptanceReport *report, Case c) {
    AcceptanceFinding *findings = report->findings;
    for (int check = ACCEPT_WEIGHTS_SHAPE; check <= ACCEPT_DISTINCT; check++)
        findings[check] = not_checked(no_weights);
    if (!c.answer->weights.numbers) return;
    findings[ACCEPT_WEIGHTS_SHAPE] = check_weights_shape(c);
    findings[ACCEPT_ROWS] = check_rows(c);
    findings[ACCEPT_HIDDEN] = check_hidden(c);
    findings[ACCEPT_SLOTS] = check_slots(c);
    findings[ACCEPT_SEEN] = check_seen(c);
    findings[ACCEPT_HEADS] = check_heads(c);
    findings[ACCEPT_DISTINCT] = check_distinct(c);
}

/* --- context and output ----------------------------------------------------------------------- */

/* The mixes of the heads' values, side by side [B,Tq,W]: with the answer's own weights if they are
 * finite, so that an error in them is not reported again. */
static double *own_mixes(const AcceptanceReport *report, Case c) {
    AttentionSizes n = c.n;
    bool readable = report->findings[ACCEPT_WEIGHTS_SHAPE].state == ACCEPT_PASSED;
    const double *weights = (readable ? c.answer : &c.reference->answer)->weights.numbers;
    double *mixes =
        calloc((size_t)n.batch * (size_t)n.queries * (size_t)width_of(n), sizeof *mixes);
    for (DoctorPlace at = BEFORE_CELLS; mixes && next_cell(c, &at);) {
        long to = ((long)at.example * n.queries + at.query) * width_of(n);
        long from = ((long)at.example * n.keys + at.key) * width_of(n);
        for (int i = at.head * n.head_width; i < (at.head + 1) * n.head_width; i++)
            mixes[to + i] += weights[cell_of(n, at)] * c.reference->values[from + i];
    }
    return mixes;
}

/* The gap between chunk `chunk` of context and the mix of head `head`. */
static Gap chunk_gap(Case c, const double *mixes, int chunk, int head) {
    AttentionSizes n = c.n;
    Gap gap = {0};
    for (int b = 0; b < n.batch; b++)
        for (int t = 0; t < n.queries; t++)
            for (int i = 0; i < n.head_width && visible_keys(c, b, t); i++) {
                long row = ((long)b * n.queries + t) * width_of(n);
                double found = c.answer->context.numbers[row + chunk * n.head_width + i];
                gap_add(&gap, found - mixes[row + head * n.head_width + i],
                        (DoctorPlace){b, chunk, t, -1});
            }
    return gap;
}

static bool check_chunks(AcceptanceReport *report, Case c, Error *error) {
    AttentionSizes n = c.n;
    report->findings[ACCEPT_CHUNKS] = not_checked("there is no context to look at");
    if (!c.answer->context.numbers) return true;
    size_t heads = (size_t)n.heads;
    report->chunk_gaps = malloc(heads * heads * sizeof *report->chunk_gaps);
    double *mixes = own_mixes(report, c);
    if (!report->chunk_gaps || !mixes) {
        free(mixes);
        return error_set(error, "out of memory for %d heads", n.heads);
    }
    Gap largest = {0};
    for (int chunk = 0; chunk < n.heads; chunk++)
        for (int head = 0; head < n.heads; head++) {
            Gap gap = chunk_gap(c, mixes, chunk, head);
            report->chunk_gaps[chunk * n.heads + head] = gap.value;
            if (chunk != head) continue;
            long count = largest.count + gap.count;
            if (chunk == 0 || gap.value > largest.value) largest = gap;
            largest.count = count;
        }
    free(mixes);
    report->findings[ACCEPT_CHUNKS] = finding_of_gap(
        largest, allowed_of(c.answer->context, c.reference->answer.context.numbers, n));
    return true;
}

static AcceptanceFinding check_output_shape(Case c) {
    AttentionSizes n = c.n;
    long good = 0, all = 0;
    DoctorPlace first = NO_PLACE;
    for (long i = 0; i < (long)n.batch * n.queries * width_of(n); i++) {
        int row = (int)(i / width_of(n));
        if (!c.reference->visible[row]) continue;
        bool finite = isfinite(c.answer->output.numbers[i]);
        if (!finite && good == all) first = (DoctorPlace){row / n.queries, -1, row % n.queries, -1};
        good += finite;
        all++;
    }
    return finding_of_count(good, all, first);
}

/* Compares output with `context` times the output projection. */
static AcceptanceFinding check_product(Case c, const double *context) {
    AttentionSizes n = c.n;
    int width = width_of(n);
    const double *w = c.call->w[PROJECTION_O], *bias = c.call->b[PROJECTION_O];
    Gap gap = {0};
    for (int b = 0; b < n.batch; b++)
        for (int t = 0; t < n.queries; t++)
            for (int o = 0; o < width && visible_keys(c, b, t); o++) {
                long row = ((long)b * n.queries + t) * width;
                double sum = bias ? bias[o] : 0;
                for (int i = 0; i < width; i++)
                    sum += context[row + i] * w[(long)o * width + i];
                gap_add(&gap, c.answer->output.numbers[row + o] - sum, (DoctorPlace){b, -1, t, -1});
            }
    return finding_of_gap(gap, allowed_of(c.answer->output, c.reference->answer.output.numbers, n));
}

static void check_output(AcceptanceReport *report, Case c) {
    AcceptanceFinding *findings = report->findings;
    const double *context = c.answer->context.numbers;
    AcceptanceFinding none_given = not_checked("there is no output to look at");
    findings[ACCEPT_OUTPUT_SHAPE] = findings[ACCEPT_PROJECTION] = findings[ACCEPT_OUTPUT] =
        none_given;
    if (!c.answer->output.numbers) return;
    findings[ACCEPT_OUTPUT_SHAPE] = check_output_shape(c);
    findings[ACCEPT_OUTPUT] = check_product(c, c.reference->answer.context.numbers);
    findings[ACCEPT_PROJECTION] =
        context ? check_product(c, context)
                : not_checked("there is no context that it could be computed from");
}

bool acceptance_check(AcceptanceReport *report, const AcceptanceCall *call,
                      const AcceptanceReference *reference, const AcceptanceAnswer *answer,
                      Error *error) {
    Case c = {call->sizes, call, reference, answer};
    *report = (AcceptanceReport){0};
    for (int check = ACCEPT_ONE_RUN; check < ACCEPT_CHECKS; check++)
        report->findings[check] = not_checked("it takes another run of the block");
    check_weights(report, c);
    check_output(report, c);
    return check_chunks(report, c, error);
}

void acceptance_report_free(AcceptanceReport *report) {
    free(report->chunk_gaps);
    *report = (AcceptanceReport){0};
}

int acceptance_count(const AcceptanceReport *report, AcceptanceState state) {
    int count = 0;
    for (int check = 0; check < ACCEPT_CHECKS; check++)
        count += report->findings[check].state == state;
    return count;
}

bool acceptance_mistake(AcceptanceMistake *mistake, AttentionMistakes mistakes,
                        const AcceptanceCall *call, const AcceptanceReference *reference,
                        Error *error) {
    AcceptanceAnswer answer = {0};
    AcceptanceReport report = {0};
    *mistake = (AcceptanceMistake){0};
    bool good = acceptance_plain(&mistakes, &answer, call, error) &&
                acceptance_check(&report, call, reference, &answer, error);
    if (good) {
        const AcceptanceFinding *heads = &report.findings[ACCEPT_HEADS];
        const AcceptanceFinding *output = &report.findings[ACCEPT_OUTPUT];
        mistake->weights_gap = heads->value;
        mistake->weights_allowed = heads->allowed;
        mistake->output_gap = output->value;
        mistake->output_allowed = output->allowed;
        for (int check = 0; check < ACCEPT_ONE_RUN; check++)
            mistake->fails[check] = report.findings[check].state == ACCEPT_FAILED;
    }
    acceptance_report_free(&report);
    acceptance_answer_free(&answer);
    return good;
}
