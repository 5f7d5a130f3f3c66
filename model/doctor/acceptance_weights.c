/* The checks of weights. */
#include <math.h>
#include <stddef.h>

#include "model/doctor/acceptance_parts.h"

static const char no_weights[] = "there are no weights of each head to look at";

static AcceptanceFinding check_weights_shape(AcceptanceLook look) {
    long good = 0, all = 0;
    DoctorPlace first = ACCEPTANCE_NO_PLACE;
    for (DoctorPlace at = ACCEPTANCE_BEFORE_CELLS; acceptance_next_cell(look, &at); all++) {
        bool finite = isfinite(look.answer->weights.numbers[acceptance_cell(look.n, at)]);
        if (!finite && good == all) first = at;
        good += finite;
    }
    return acceptance_of_count(good, all, first);
}

static AcceptanceFinding check_rows(AcceptanceLook look) {
    AttentionSizes n = look.n;
    AcceptanceGap gap = {0};
    double sum = 0;
    for (DoctorPlace at = ACCEPTANCE_BEFORE_CELLS; acceptance_next_cell(look, &at);) {
        sum = (at.key ? sum : 0) + look.answer->weights.numbers[acceptance_cell(n, at)];
        if (at.key == n.keys - 1)
            acceptance_gap_add(&gap, sum - 1, (DoctorPlace){at.example, at.head, at.query, -1});
    }
    return acceptance_of_gap(
        gap, acceptance_allowed(look.answer->weights.precision, acceptance_width(n), 1));
}

static bool is_hidden(AcceptanceLook look, DoctorPlace at) {
    return at.key >= acceptance_visible(look, at.example, at.query);
}

/* A weight below this is none: a float cannot tell it beside 1. */
static const double none = 0x1p-24;

/* Whether a right block of any precision gives the slot a weight. A mask leaves exactly 0
 * (exp(-1e6) is 0 in every number type); a softmax that is too sharp does not, and is no matter of
 * slots. */
static bool has_weight(AcceptanceLook look, DoctorPlace at) {
    return !is_hidden(look, at) &&
           look.reference->answer.weights.numbers[acceptance_cell(look.n, at)] > 64 * none;
}

static AcceptanceFinding check_hidden(AcceptanceLook look) {
    AcceptanceGap gap = {0};
    for (DoctorPlace at = ACCEPTANCE_BEFORE_CELLS; acceptance_next_cell(look, &at);)
        if (is_hidden(look, at))
            acceptance_gap_add(&gap, look.answer->weights.numbers[acceptance_cell(look.n, at)], at);
    return gap.count ? acceptance_of_gap(gap, none)
                     : acceptance_not_checked("no key slot is hidden in this call");
}

static AcceptanceFinding check_seen(AcceptanceLook look) {
    long good = 0, all = 0;
    DoctorPlace first = ACCEPTANCE_NO_PLACE;
    for (DoctorPlace at = ACCEPTANCE_BEFORE_CELLS; acceptance_next_cell(look, &at);) {
        if (!has_weight(look, at)) continue;
        bool seen = look.answer->weights.numbers[acceptance_cell(look.n, at)] != 0;
        if (!seen && good == all) first = at;
        good += seen;
        all++;
    }
    return acceptance_of_count(good, all, first);
}

/* Whether head h gives key slot j of example b no weight, whatever the query. `told`: whether a
 * right block could be told apart there. */
static bool is_zero_slot(AcceptanceLook look, int b, int h, int j, bool *told) {
    bool zero = true, hidden = true, weighed = false;
    for (int t = 0; t < look.n.queries; t++) {
        DoctorPlace at = {b, h, t, j};
        if (!acceptance_visible(look, b, t)) continue;
        zero = zero && look.answer->weights.numbers[acceptance_cell(look.n, at)] == 0;
        hidden = hidden && is_hidden(look, at);
        weighed = weighed || has_weight(look, at);
    }
    *told = hidden || weighed;
    return zero;
}

/* The first slot that is 0 in one of head h and head 0 and not in the other; -1: none. */
static int other_slot(AcceptanceLook look, int b, int h) {
    for (int j = 0; j < look.n.keys; j++) {
        bool told, told_0, zero = is_zero_slot(look, b, h, j, &told);
        if (zero != is_zero_slot(look, b, 0, j, &told_0) && told && told_0) return j;
    }
    return -1;
}

static AcceptanceFinding check_slots(AcceptanceLook look) {
    long good = 0, all = 0;
    DoctorPlace first = ACCEPTANCE_NO_PLACE;
    bool hidden = false;
    for (DoctorPlace at = ACCEPTANCE_BEFORE_CELLS; acceptance_next_cell(look, &at);)
        hidden = hidden || is_hidden(look, at);
    if (!hidden) return acceptance_not_checked("no key slot is hidden in this call");
    if (look.n.heads == 1) return acceptance_not_checked("there is one head");
    for (int b = 0; b < look.n.batch; b++)
        for (int h = 1; h < look.n.heads; h++, all++) {
            int other = other_slot(look, b, h);
            if (other >= 0 && good == all) first = (DoctorPlace){b, h, -1, other};
            good += other < 0;
        }
    return acceptance_of_count(good, all, first);
}

static AcceptanceFinding check_heads(AcceptanceLook look) {
    const double *right = look.reference->answer.weights.numbers;
    AcceptanceGap gap = {0};
    for (DoctorPlace at = ACCEPTANCE_BEFORE_CELLS; acceptance_next_cell(look, &at);) {
        long i = acceptance_cell(look.n, at);
        acceptance_gap_add(&gap, look.answer->weights.numbers[i] - right[i], at);
    }
    return acceptance_of_gap(
        gap, acceptance_allowed(look.answer->weights.precision, acceptance_width(look.n), 1));
}

static AcceptanceFinding check_distinct(AcceptanceLook look) {
    DumpPrecision precision = look.answer->weights.precision;
    double least = acceptance_allowed(precision, acceptance_width(look.n), 1),
           alike = look.reference->alike;
    DoctorPlace place = ACCEPTANCE_NO_PLACE;
    if (look.n.heads == 1) return acceptance_not_checked("there is one head");
    if (isnan(alike)) return acceptance_not_checked("no query sees two keys");
    if (alike <= 2 * least)
        return acceptance_not_checked(
            "the right maps are alike as well: this input cannot tell heads apart");
    double found =
        acceptance_most_alike(look.answer, look.n, look.reference->visible, NULL, &place);
    return (AcceptanceFinding){.state = found > least ? ACCEPT_PASSED : ACCEPT_FAILED,
                               .value = found,
                               .allowed = least,
                               .of = (long)look.n.batch * look.n.heads * (look.n.heads - 1) / 2,
                               .place = place};
}

void acceptance_check_weights(AcceptanceReport *report, AcceptanceLook look) {
    AcceptanceFinding *findings = report->findings;
    for (int check = ACCEPT_WEIGHTS_SHAPE; check <= ACCEPT_DISTINCT; check++)
        findings[check] = acceptance_not_checked(no_weights);
    if (!look.answer->weights.numbers) return;
    findings[ACCEPT_WEIGHTS_SHAPE] = check_weights_shape(look);
    findings[ACCEPT_ROWS] = check_rows(look);
    findings[ACCEPT_HIDDEN] = check_hidden(look);
    findings[ACCEPT_SLOTS] = check_slots(look);
    findings[ACCEPT_SEEN] = check_seen(look);
    findings[ACCEPT_HEADS] = check_heads(look);
    findings[ACCEPT_DISTINCT] = check_distinct(look);
}
