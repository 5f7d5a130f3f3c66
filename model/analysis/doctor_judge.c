/* How far a dump is from what a hypothesis predicts. */
#include <math.h>
#include <stdlib.h>

#include "model/analysis/doctor_case.h"

/* A weight that may be off by this much tells nothing. */
static const double MEANINGLESS = 0.3;

static double cell_error(double yours, double predicted, double allowed, DumpPrecision precision) {
    if (!isfinite(predicted)) return isfinite(yours) ? INFINITY : 0;
    if (isnan(yours)) return INFINITY;
    if (isinf(yours)) {
        bool overflows = fabs(predicted) + allowed >= precision_largest(precision);
        return overflows && (yours > 0) == (predicted > 0) ? 0 : INFINITY;
    }
    if (!isfinite(allowed)) return 0;
    return fabs(yours - predicted) / allowed;
}

static DoctorPlace place_of(DumpPart part, Unit unit, int cell) {
    DoctorPlace place = {unit.b, -1, unit.t, -1};
    if (part == DUMP_WEIGHTS || part == DUMP_CONTEXT) place.head = unit.h;
    if (part == DUMP_WEIGHTS) place.key = cell;
    if (part == DUMP_KEY || part == DUMP_VALUE) {
        place.query = -1;
        place.key = unit.t;
    }
    return place;
}

/* What dropout, if it is part of the hypothesis, made of the predicted cells. */
static void drop(Predictor *p, const double *yours, Outcome *o) {
    for (int i = 0; i < p->cells; i++) {
        bool counts = fabs(p->predicted[i]) > 4 * p->allowed[i];
        if (yours[p->at[i]] == 0) {
            p->predicted[i] = 0;
            o->dropped += counts;
        } else {
            p->predicted[i] *= p->hypothesis.factor;
            p->allowed[i] *= p->hypothesis.factor;
            o->kept += counts;
        }
    }
}

/* Compares the cells that were predicted last. */
static double compare(Predictor *p, Unit unit, Outcome *o) {
    DumpPart part = p->segment->targets[unit.target];
    const double *yours = patient_numbers(p->patient, part);
    DumpPrecision precision = p->patient->dump->parts[part].precision;
    double worst = 0;
    if (p->hypothesis.dropout) drop(p, yours, o);
    for (int i = 0; i < p->cells; i++) {
        double x = yours[p->at[i]], y = p->predicted[i];
        double error = cell_error(x, y, p->allowed[i], precision);
        double difference = error == INFINITY ? INFINITY : fabs(x - y);
        if (!isfinite(y) && error == 0) difference = 0;
        worst = fmax(worst, error);
        o->compared++;
        o->squares += fmin(error * error, 1e30);
        if (part == DUMP_WEIGHTS && !(p->allowed[i] < MEANINGLESS)) o->meaningless++;
        if (p->allowed[i] > o->allowed) o->allowed = p->allowed[i];
        if (difference > o->difference || o->compared == 1) {
            o->difference = difference;
            o->place = place_of(part, unit, i);
            o->target = unit.target;
        }
    }
    o->error = fmax(o->error, worst);
    return worst;
}

double judge_unit(Predictor *p, Unit unit, Outcome *outcome) {
    Outcome before = *outcome, first = *outcome;
    double first_error = 0;
    for (int way = EMPTY_ROW_ZERO; way < EMPTY_ROW_WAYS; way++) {
        p->empty = (EmptyWay)way;
        *outcome = before;
        predict_unit(p, unit);
        bool met = p->met_empty;
        double error = compare(p, unit, outcome);
        if (error <= 1 || !met) {
            bool is_first = true;
            for (int i = 0; i < EMPTY_ROW_WAYS; i++)
                is_first = is_first && !outcome->empty[i];
            if (met && is_first) outcome->empty_place = place_of(DUMP_CONTEXT, unit, 0);
            if (met) outcome->empty[way] = true;
            p->empty = EMPTY_ROW_ZERO;
            return error;
        }
        if (way == EMPTY_ROW_ZERO) {
            first = *outcome;
            first_error = error;
        }
    }
    p->empty = EMPTY_ROW_ZERO;
    *outcome = first;
    return first_error;
}

void judge_all(Predictor *p, Outcome *outcome, double stop, double *errors) {
    *outcome = (Outcome){0};
    for (int target = 0; target < p->segment->target_count; target++) {
        long count = predictor_units(p, target);
        for (long i = 0; i < count; i++) {
            double error = judge_unit(p, predictor_unit(p, target, i), outcome);
            if (errors) *errors++ = error;
            if (error > stop) return;
        }
    }
}

/* --- what a hypothesis leaves open ------------------------------------------------------------ */

enum { GUESSES = 4096 };

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *numbers, int count) {
    qsort(numbers, (size_t)count, sizeof *numbers, by_size);
    return numbers[count / 2];
}

/* The value of a mask, from log weight - score of hidden keys against that of visible ones. */
static int guess_mask_in(Predictor *p, Unit unit, double *guesses, int count, double *scores) {
    const double *weights =
        patient_numbers(p->patient, DUMP_WEIGHTS) +
        (((long)unit.b * p->sizes.heads + unit.h) * p->sizes.queries + unit.t) * p->sizes.keys;
    int first, end, seen = 0;
    double level = 0;
    predict_scores(p, unit, scores, &first, &end);
    for (int j = first; j < end; j++)
        if (weights[j] > 1e-30) {
            level += log(weights[j]) - scores[j];
            seen++;
        }
    if (!seen) return count;
    bool adds = p->rule.mask == MASK_ADDS;
    for (int j = 0; j < p->sizes.keys && count < GUESSES; j++)
        if ((j < first || j >= end) && weights[j] > 1e-30)
            guesses[count++] = log(weights[j]) - (adds ? scores[j] : 0) - level / seen;
    return count;
}

static bool guess_mask(Predictor *p, Hypothesis *h) {
    bool fits = p->segment->targets[0] == DUMP_WEIGHTS && h->attention.softmax == SOFTMAX_KEYS &&
                !h->averaged && !p->patient->dump->parts[DUMP_WEIGHTS].averaged;
    double *guesses = malloc((GUESSES + (size_t)p->sizes.keys) * sizeof *guesses);
    if (!guesses) p->patient->no_memory = true;
    if (!guesses || !fits) {
        free(guesses);
        return false;
    }
    int count = 0;
    long units = predictor_units(p, 0), step = units / 512 + 1;
    for (long i = 0; i < units && count < GUESSES; i += step)
        count = guess_mask_in(p, predictor_unit(p, 0, i), guesses, count, guesses + GUESSES);
    bool found = count > 1;
    if (found) h->attention.mask_value = median(guesses, count);
    free(guesses);
    return found;
}

/* The factor of what dropout kept, from the ratio of yours to predicted. */
static bool guess_factor(Predictor *p, Hypothesis *h, const Unit *sample, int count) {
    double *ratios = malloc(GUESSES * sizeof *ratios);
    if (!ratios) {
        p->patient->no_memory = true;
        return false;
    }
    int found = 0;
    long zeros = 0;
    for (int i = 0; i < count; i++) {
        predict_unit(p, sample[i]);
        const double *yours = patient_numbers(p->patient, p->segment->targets[sample[i].target]);
        for (int c = 0; c < p->cells && found < GUESSES; c++) {
            if (!(fabs(p->predicted[c]) > 4 * p->allowed[c])) continue;
            if (yours[p->at[c]] == 0)
                zeros++;
            else
                ratios[found++] = yours[p->at[c]] / p->predicted[c];
        }
    }
    bool fits = found > 0 && zeros > 0;
    if (fits) h->factor = median(ratios, found);
    free(ratios);
    return fits && isfinite(h->factor) && h->factor > 1.001;
}

bool judge_estimate(Predictor *p, Hypothesis *h, const Unit *sample, int count) {
    MaskWay mask = h->attention.mask;
    bool leaks = mask == MASK_ADDS || mask == MASK_FILLS;
    if (leaks && !guess_mask(p, h)) return false;
    if (leaks && !predictor_set(p, h)) return false;
    if (h->dropout && !guess_factor(p, h, sample, count)) return false;
    return !h->dropout || predictor_set(p, h);
}
