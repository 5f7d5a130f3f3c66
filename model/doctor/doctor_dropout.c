#include "model/doctor/doctor_dropout.h"

#include <math.h>
#include <stdlib.h>

/* Solves value^T x = mixed for x [n], over the n keys listed, by Gram-Schmidt. Returns false if
 * their values are linearly dependent. Scratch: basis [n,D], triangle [n,n]. */
static bool solve_keys(const Predictor *p, Unit unit, const double *mixed, const int *keys, int n,
                       double *basis, double *triangle, double *x) {
    int width = p->sizes.head_width;
    for (int k = 0; k < n; k++) {
        double *column = basis + (long)k * width, before = 0, after = 0;
        for (int i = 0; i < width; i++) {
            column[i] = p->value.numbers[head_fold_at(p->rule.value, unit.b, unit.h, keys[k], i)];
            before += column[i] * column[i];
        }
        for (int l = 0; l < k; l++) {
            double product = 0;
            for (int i = 0; i < width; i++)
                product += basis[(long)l * width + i] * column[i];
            triangle[(long)l * n + k] = product;
            for (int i = 0; i < width; i++)
                column[i] -= product * basis[(long)l * width + i];
        }
        for (int i = 0; i < width; i++)
            after += column[i] * column[i];
        if (!(after > 1e-6 * before)) return false;
        triangle[(long)k * n + k] = sqrt(after);
        for (int i = 0; i < width; i++)
            column[i] /= sqrt(after);
    }
    for (int k = n - 1; k >= 0; k--) {
        double sum = 0;
        for (int i = 0; i < width; i++)
            sum += basis[(long)k * width + i] * mixed[i];
        for (int l = k + 1; l < n; l++)
            sum -= triangle[(long)k * n + l] * x[l];
        x[k] = sum / triangle[(long)k * n + k];
    }
    return true;
}

bool dropout_ratios(Predictor *p, Unit unit, double *ratios) {
    int width = p->sizes.head_width, keys = p->sizes.keys, n = 0;
    const double *yours = prepared_numbers(p->prepared, DUMP_CONTEXT);
    int *seen = malloc((size_t)keys * sizeof *seen);
    double *room = malloc(((size_t)width * (size_t)(2 * width + 3)) * sizeof *room);
    bool solved = false;
    if (!seen || !room) p->prepared->no_memory = true;
    for (int j = 0; j < keys; j++)
        ratios[j] = NAN;
    for (int j = 0; seen && j < keys; j++)
        if (p->row[j] != 0) seen[n++] = j;
    if (seen && room && n > 0 && n <= width) {
        double *mixed = room, *x = room + width, *basis = x + width;
        for (int i = 0; i < width; i++)
            mixed[i] = yours[p->at[i]];
        solved = solve_keys(p, unit, mixed, seen, n, basis, basis + (long)n * width, x);
        for (int k = 0; solved && k < n; k++)
            ratios[seen[k]] = x[k] / p->row[seen[k]];
    }
    free(seen);
    free(room);
    return solved;
}

bool dropout_from_mix(Predictor *p, Unit unit, long *kept, long *dropped) {
    int keys = p->sizes.keys, width = p->sizes.head_width;
    double *ratios = malloc((size_t)keys * sizeof *ratios), factor = p->hypothesis.factor;
    if (!ratios) {
        p->prepared->no_memory = true;
        return false;
    }
    bool solved = dropout_ratios(p, unit, ratios);
    for (int i = 0; i < width && solved; i++) {
        double sum = 0;
        for (int j = 0; j < keys; j++)
            if (ratios[j] > factor / 2)
                sum += factor * p->row[j] *
                       p->value.numbers[head_fold_at(p->rule.value, unit.b, unit.h, j, i)];
        p->predicted[i] = sum;
        p->allowed[i] *= factor;
    }
    for (int j = 0; j < keys && solved; j++)
        if (p->row[j] > 0.02) ++*(ratios[j] > factor / 2 ? kept : dropped);
    free(ratios);
    return solved;
}
