/* Checks of context and output, and all of them together. */
#include <math.h>
#include <stdlib.h>

#include "model/doctor/acceptance_parts.h"

/* --- gathering -------------------------------------------------------------------------------- */

void acceptance_gap_add(AcceptanceGap *gap, double difference, DoctorPlace place) {
    if (isnan(difference)) difference = INFINITY;
    difference = fabs(difference);
    if (gap->count++ && difference <= gap->value) return;
    gap->value = difference;
    gap->place = place;
}

static const char nothing_seen[] = "no query sees a key in this call";

AcceptanceFinding acceptance_of_gap(AcceptanceGap gap, double allowed) {
    if (!gap.count) return acceptance_not_checked(nothing_seen);
    return (AcceptanceFinding){.state = gap.value <= allowed ? ACCEPT_PASSED : ACCEPT_FAILED,
                               .value = gap.value,
                               .allowed = allowed,
                               .of = gap.count,
                               .place = gap.place};
}

AcceptanceFinding acceptance_of_count(long count, long of, DoctorPlace first_bad) {
    if (!of) return acceptance_not_checked(nothing_seen);
    return (AcceptanceFinding){.state = count == of ? ACCEPT_PASSED : ACCEPT_FAILED,
                               .counts = true,
                               .count = count,
                               .of = of,
                               .place = first_bad};
}

AcceptanceFinding acceptance_not_checked(const char *why) {
    return (AcceptanceFinding){.why = why, .place = ACCEPTANCE_NO_PLACE};
}

int acceptance_width(AttentionSizes n) {
    return n.heads * n.head_width;
}

int acceptance_visible(AcceptanceLook look, int b, int t) {
    return look.reference->visible[b * look.n.queries + t];
}

long acceptance_cell(AttentionSizes n, DoctorPlace at) {
    return (((long)at.example * n.heads + at.head) * n.queries + at.query) * n.keys + at.key;
}

static double largest_of(const double *numbers, long count) {
    double largest = 0;
    for (long i = 0; i < count; i++)
        largest = fmax(largest, fabs(numbers[i]));
    return largest;
}

/* What rounding may do to a tensor that is compared with its right numbers, [B,Tq,W]. */
static double allowed_of(AcceptanceTensor tensor, const double *right, AttentionSizes n) {
    int width = acceptance_width(n);
    return acceptance_allowed(tensor.precision, width,
                              largest_of(right, (long)n.batch * n.queries * width));
}

bool acceptance_next_cell(AcceptanceLook look, DoctorPlace *at) {
    AttentionSizes n = look.n;
    do {
        if (++at->key < n.keys) continue;
        at->key = 0;
        if (++at->query < n.queries) continue;
        at->query = 0;
        if (++at->head < n.heads) continue;
        at->head = 0;
        if (++at->example == n.batch) return false;
    } while (!acceptance_visible(look, at->example, at->query));
    return true;
}

/* --- of context and output -------------------------------------------------------------------- */

/* What each head's weights mix of its values, side by side [B,Tq,W]: the answer's own weights where
 * they can be read, so that a fault of theirs is not found here once more. */
static double *own_mixes(const AcceptanceReport *report, AcceptanceLook look) {
    AttentionSizes n = look.n;
    bool readable = report->findings[ACCEPT_WEIGHTS_SHAPE].state == ACCEPT_PASSED;
    const double *weights = (readable ? look.answer : &look.reference->answer)->weights.numbers;
    double *mixes =
        calloc((size_t)n.batch * (size_t)n.queries * (size_t)acceptance_width(n), sizeof *mixes);
    for (DoctorPlace at = ACCEPTANCE_BEFORE_CELLS; mixes && acceptance_next_cell(look, &at);) {
        long to = ((long)at.example * n.queries + at.query) * acceptance_width(n);
        long from = ((long)at.example * n.keys + at.key) * acceptance_width(n);
        for (int i = at.head * n.head_width; i < (at.head + 1) * n.head_width; i++)
            mixes[to + i] += weights[acceptance_cell(n, at)] * look.reference->values[from + i];
    }
    return mixes;
}

/* The largest difference of chunk `chunk` of context from the mix of head `head`. */
static AcceptanceGap chunk_gap(AcceptanceLook look, const double *mixes, int chunk, int head) {
    AttentionSizes n = look.n;
    AcceptanceGap gap = {0};
    for (int b = 0; b < n.batch; b++)
        for (int t = 0; t < n.queries; t++)
            for (int i = 0; i < n.head_width && acceptance_visible(look, b, t); i++) {
                long row = ((long)b * n.queries + t) * acceptance_width(n);
                double found = look.answer->context.numbers[row + chunk * n.head_width + i];
                acceptance_gap_add(&gap, found - mixes[row + head * n.head_width + i],
                                   (DoctorPlace){b, chunk, t, -1});
            }
    return gap;
}

static bool check_chunks(AcceptanceReport *report, AcceptanceLook look, Error *error) {
    AttentionSizes n = look.n;
    report->findings[ACCEPT_CHUNKS] = acceptance_not_checked("there is no context to look at");
    if (!look.answer->context.numbers) return true;
    size_t heads = (size_t)n.heads;
    report->chunk_gaps = malloc(heads * heads * sizeof *report->chunk_gaps);
    double *mixes = own_mixes(report, look);
    if (!report->chunk_gaps || !mixes) {
        free(mixes);
        return error_set(error, "out of memory for %d heads", n.heads);
    }
    AcceptanceGap largest = {0};
    for (int chunk = 0; chunk < n.heads; chunk++)
        for (int head = 0; head < n.heads; head++) {
            AcceptanceGap gap = chunk_gap(look, mixes, chunk, head);
            report->chunk_gaps[chunk * n.heads + head] = gap.value;
            if (chunk != head) continue;
            long count = largest.count + gap.count;
            if (chunk == 0 || gap.value > largest.value) largest = gap;
            largest.count = count;
        }
    free(mixes);
    report->findings[ACCEPT_CHUNKS] = acceptance_of_gap(
        largest, allowed_of(look.answer->context, look.reference->answer.context.numbers, n));
    return true;
}

static AcceptanceFinding check_output_shape(AcceptanceLook look) {
    AttentionSizes n = look.n;
    long good = 0, all = 0;
    DoctorPlace first = ACCEPTANCE_NO_PLACE;
    for (long i = 0; i < (long)n.batch * n.queries * acceptance_width(n); i++) {
        int row = (int)(i / acceptance_width(n));
        if (!look.reference->visible[row]) continue;
        bool finite = isfinite(look.answer->output.numbers[i]);
        if (!finite && good == all) first = (DoctorPlace){row / n.queries, -1, row % n.queries, -1};
        good += finite;
        all++;
    }
    return acceptance_of_count(good, all, first);
}

/* Output against `context` times the output projection. */
static AcceptanceFinding check_product(AcceptanceLook look, const double *context) {
    AttentionSizes n = look.n;
    int width = acceptance_width(n);
    const double *w = look.call->w[PROJECTION_O], *bias = look.call->b[PROJECTION_O];
    AcceptanceGap gap = {0};
    for (int b = 0; b < n.batch; b++)
        for (int t = 0; t < n.queries; t++)
            for (int o = 0; o < width && acceptance_visible(look, b, t); o++) {
                long row = ((long)b * n.queries + t) * width;
                double sum = bias ? bias[o] : 0;
                for (int i = 0; i < width; i++)
                    sum += context[row + i] * w[(long)o * width + i];
                acceptance_gap_add(&gap, look.answer->output.numbers[row + o] - sum,
                                   (DoctorPlace){b, -1, t, -1});
            }
    return acceptance_of_gap(
        gap, allowed_of(look.answer->output, look.reference->answer.output.numbers, n));
}

static void check_output(AcceptanceReport *report, AcceptanceLook look) {
    AcceptanceFinding *findings = report->findings;
    const double *context = look.answer->context.numbers;
    AcceptanceFinding none_given = acceptance_not_checked("there is no output to look at");
    findings[ACCEPT_OUTPUT_SHAPE] = findings[ACCEPT_PROJECTION] = findings[ACCEPT_OUTPUT] =
        none_given;
    if (!look.answer->output.numbers) return;
    findings[ACCEPT_OUTPUT_SHAPE] = check_output_shape(look);
    findings[ACCEPT_OUTPUT] = check_product(look, look.reference->answer.context.numbers);
    findings[ACCEPT_PROJECTION] =
        context ? check_product(look, context)
                : acceptance_not_checked("there is no context that it could be computed from");
}

bool acceptance_check(AcceptanceReport *report, const AcceptanceCall *call,
                      const AcceptanceReference *reference, const AcceptanceAnswer *answer,
                      Error *error) {
    AcceptanceLook look = {call->sizes, call, reference, answer};
    *report = (AcceptanceReport){0};
    for (int check = ACCEPT_ONE_RUN; check < ACCEPT_CHECKS; check++)
        report->findings[check] = acceptance_not_checked("it takes another run of the block");
    acceptance_check_weights(report, look);
    check_output(report, look);
    return check_chunks(report, look, error);
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
