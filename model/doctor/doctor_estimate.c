#include "model/doctor/doctor_estimate.h"

#include <math.h>
#include <stdlib.h>

#include "model/base/minmax.h"
#include "model/doctor/doctor_dropout.h"

enum { GUESSES = 4096, FEW = 4 };

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *numbers, int count) {
    qsort(numbers, (size_t)count, sizeof *numbers, by_size);
    return numbers[count / 2];
}

/* --- the value of a mask ---------------------------------------------------------------------- */

/* Adds guesses from one row of weights: log(weight) - score of each hidden key, less the mean of
 * the same over the visible ones. Returns the new count. */
static int guess_mask_in(Predictor *p, Unit unit, double *guesses, int count, double *scores) {
    const double *weights =
        prepared_numbers(p->prepared, DUMP_WEIGHTS) +
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

static bool guess_mask_of_weights(Predictor *p, Hypothesis *h) {
    double *guesses = malloc((GUESSES + (size_t)p->sizes.keys) * sizeof *guesses);
    if (!guesses) {
        p->prepared->no_memory = true;
        return false;
    }
    int count = 0;
    long units = predictor_units(p, 0), step = units / 512 + 1;
    for (long i = 0; i < units && count < GUESSES; i += step)
        count = guess_mask_in(p, predictor_unit(p, 0, i), guesses, count, guesses + GUESSES);
    bool found = count > 0;
    if (found) h->attention.mask_value = median(guesses, count);
    free(guesses);
    return found;
}

/* The squared error of a few units under that value of the mask. */
static double misfit(Predictor *p, double value, const Unit *sample, int count) {
    Outcome outcome = {0};
    p->rule.mask_value = value;
    p->plane_b = -1;
    for (int i = 0; i < count; i++)
        judge_unit(p, sample[i], &outcome);
    return outcome.squares;
}

/* Fits the value to context or output: a coarse scan, then a golden-section search. */
static bool fit_mask(Predictor *p, Hypothesis *h, const Unit *sample, int count) {
    static const double scan[] = {-40, -25, -18, -14, -11, -9, -7, -5, -4, -3, -2, -1, 0, 1, 2};
    enum { STEPS = sizeof scan / sizeof scan[0], SECTIONS = 36 };
    const double golden = 0.6180339887498949;
    double best = INFINITY;
    int at = 0, lines = int_min(count, FEW);
    for (int i = 0; i < STEPS; i++) {
        double squares = misfit(p, scan[i], sample, lines);
        if (squares < best) {
            best = squares;
            at = i;
        }
    }
    double low = scan[at > 0 ? at - 1 : 0], high = scan[at + 1 < STEPS ? at + 1 : at];
    double left = high - golden * (high - low), right = low + golden * (high - low);
    double of_left = misfit(p, left, sample, lines), of_right = misfit(p, right, sample, lines);
    for (int i = 0; i < SECTIONS; i++) {
        if (of_left < of_right) {
            high = right;
            right = left;
            of_right = of_left;
            left = high - golden * (high - low);
            of_left = misfit(p, left, sample, lines);
        } else {
            low = left;
            left = right;
            of_left = of_right;
            right = low + golden * (high - low);
            of_right = misfit(p, right, sample, lines);
        }
    }
    h->attention.mask_value = (low + high) / 2;
    return isfinite(best);
}

static bool guess_mask(Predictor *p, Hypothesis *h, const Unit *sample, int count) {
    const PreparedDump *prepared = p->prepared;
    if (p->segment->targets[0] != DUMP_WEIGHTS) {
        /* A fit takes some fifty predictions: too slow for the pairs of a large dump. */
        bool is_quick = (long)p->sizes.keys * prepared->width <= 32768;
        return h->attention.softmax == SOFTMAX_KEYS && (is_quick || !h->kinds[1]) &&
               fit_mask(p, h, sample, count);
    }
    return h->attention.softmax == SOFTMAX_KEYS && !hypothesis_has(h, MISTAKE_AVERAGED_HEADS) &&
           !prepared->dump->parts[DUMP_WEIGHTS].averaged && guess_mask_of_weights(p, h);
}

/* --- dropout ---------------------------------------------------------------------------------- */

/* The factor of what dropout kept: the median ratio of the dump to the prediction. */
static bool guess_factor(Predictor *p, Hypothesis *h, const Unit *sample, int count) {
    double *ratios = malloc(GUESSES * sizeof *ratios);
    if (!ratios) {
        p->prepared->no_memory = true;
        return false;
    }
    int found = 0;
    long zeros = 0;
    for (int i = 0; i < count; i++) {
        predict_unit(p, sample[i]);
        const double *yours = prepared_numbers(p->prepared, p->segment->targets[sample[i].target]);
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
    return fits;
}

static bool guess_factor_of_mix(Predictor *p, Hypothesis *h) {
    double *ratios = malloc(((size_t)p->sizes.keys + GUESSES) * sizeof *ratios);
    double *found = ratios ? ratios + p->sizes.keys : NULL;
    int count = 0;
    if (!ratios) {
        p->prepared->no_memory = true;
        return false;
    }
    long units = predictor_units(p, 0), step = units / 256 + 1;
    for (long u = 0; u < units; u += step) {
        Unit unit = predictor_unit(p, 0, u);
        predict_unit(p, unit);
        if (!dropout_ratios(p, unit, ratios)) continue;
        for (int j = 0; j < p->sizes.keys && count < GUESSES; j++)
            if (p->row[j] > 0.02 && ratios[j] > 0.5) found[count++] = ratios[j];
    }
    if (count) h->factor = median(found, count);
    free(ratios);
    return count > 0;
}

/* --- both ------------------------------------------------------------------------------------- */

bool estimate_hypothesis(Predictor *p, Hypothesis *h, const Unit *sample, int count) {
    MaskKind mask = h->attention.mask;
    bool leaks = mask == MASK_ADDS || mask == MASK_FILLS;
    if (leaks && (!guess_mask(p, h, sample, count) || !predictor_set(p, h))) return false;
    if (h->dropout == DROPS_NOTHING) return true;
    bool known =
        h->dropout == DROPS_CELLS ? guess_factor(p, h, sample, count) : guess_factor_of_mix(p, h);
    return known && isfinite(h->factor) && h->factor > 1.001 && predictor_set(p, h);
}
