#include "model/doctor/doctor_judge.h"

#include <math.h>

#include "model/doctor/doctor_dropout.h"

/* A noticeable error, in units of what is allowed: bounds are ten to fifty times typical errors. */
static const double SIZABLE = 0.005;

/* A weight whose bound is below this multiple of it cannot have been rounded to 0. */
static const double LOST = 50;

/* The largest distance of a whole tensor of halves, in roundoffs of its norm. (Bounds of single
 * cells are useless there: nearly everything passes.) Rounding at every step leaves a tensor within
 * 2 to 4 roundoffs, within 12 where scores reach 150; other formulas are 40 and more away, even in
 * bfloat16. */
static const double CLOSE = 16;

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

static bool works_in_halves(const Predictor *p) {
    return p->work > precision_roundoff(PRECISION_F32);
}

/* For halves other than weights, only the distance of the whole tensor is conclusive. */
static bool bounds_are_conclusive(const Predictor *p, DumpPart part) {
    return part == DUMP_WEIGHTS || !works_in_halves(p);
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

/* Applies the dropout of the hypothesis to the predicted cells: a 0 in the dump was dropped. */
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

/* Compares the cells of the unit that was predicted last; returns the largest error. */
static double compare(Predictor *p, Unit unit, Outcome *o) {
    DumpPart part = p->segment->targets[unit.target];
    const double *yours = prepared_numbers(p->prepared, part);
    DumpPrecision precision = p->prepared->dump->parts[part].precision;
    double worst = 0;
    if (p->hypothesis.dropout == DROPS_CELLS) drop(p, yours, o);
    if (p->hypothesis.dropout == DROPS_WEIGHTS && !dropout_from_mix(p, unit, &o->kept, &o->dropped))
        return 0;
    for (int i = 0; i < p->cells; i++) {
        double x = yours[p->at[i]], y = p->predicted[i];
        double error = cell_error(x, y, p->allowed[i], precision);
        if (part == DUMP_WEIGHTS && x == 0 && y > 0.01 && p->allowed[i] < LOST * y)
            error = y / precision_floor(precision); /* as bad as a weight where 0 must be */
        double difference = fabs(x - y);
        if (!isfinite(difference)) difference = error == 0 ? 0 : INFINITY;
        worst = fmax(worst, error);
        o->compared++;
        o->squares += fmin(error * error, 1e30);
        if (isfinite(x) && isfinite(y)) {
            o->difference_squares[unit.target] += (x - y) * (x - y);
            o->predicted_squares[unit.target] += y * y;
        }
        if (error > SIZABLE) {
            o->sizable++;
            o->above += x > y;
        }
        if (isfinite(y) && bounds_are_conclusive(p, part) &&
            !(p->allowed[i] < p->meaningless[unit.target]))
            o->meaningless++;
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

static bool is_first_empty(const Outcome *o) {
    for (int i = 0; i < EMPTY_ROW_KINDS; i++)
        if (o->empty[i]) return false;
    return true;
}

/* True for the kinds of a finite mask where the hypothesis has another mask: nearly any row could
 * be explained by the two together. */
static bool is_excuse(const Predictor *p, EmptyKind kind) {
    bool other_mask = p->hypothesis.attention.lengths || p->hypothesis.attention.causal;
    return other_mask && (kind == EMPTY_ROW_PAST_UNIFORM || kind == EMPTY_ROW_SEES ||
                          kind == EMPTY_ROW_SEES_PAST);
}

/* Tries all kinds of empty rows, that of the last unit first. */
double judge_unit(Predictor *p, Unit unit, Outcome *outcome) {
    Outcome before = *outcome, first = *outcome;
    double first_error = 0;
    EmptyKind start = p->empty;
    for (int i = 0; i < EMPTY_ROW_KINDS; i++) {
        EmptyKind kind = (EmptyKind)(((int)start + i) % EMPTY_ROW_KINDS);
        if (is_excuse(p, kind)) continue;
        p->empty = kind;
        *outcome = before;
        predict_unit(p, unit);
        bool met = p->has_empty_row;
        double error = compare(p, unit, outcome);
        if (error <= 1 || !met) {
            bool row = met && p->rule.softmax == SOFTMAX_KEYS;
            if (row && is_first_empty(outcome))
                outcome->empty_place = place_of(DUMP_CONTEXT, unit, 0);
            if (row) outcome->empty[kind] = true;
            if (!met) p->empty = start;
            return error;
        }
        if (i == 0) {
            first = *outcome;
            first_error = error;
        }
    }
    p->empty = start;
    *outcome = first;
    return first_error;
}

/* The distance of a whole target of halves from its prediction; above 1: not explained by rounding.
 */
static double distance(const Predictor *p, const Outcome *o, int target) {
    if (!works_in_halves(p) || o->predicted_squares[target] == 0) return 0;
    return sqrt(o->difference_squares[target] / o->predicted_squares[target]) / (CLOSE * p->work);
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
        outcome->error = fmax(outcome->error, distance(p, outcome, target));
    }
}

bool outcome_is_conclusive(const Outcome *outcome) {
    return 2 * outcome->meaningless <= outcome->compared;
}
