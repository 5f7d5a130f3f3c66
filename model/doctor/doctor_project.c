#include "model/doctor/doctor_project.h"

#include <math.h>
#include <stdlib.h>

static bool is_half(double work) {
    return work > precision_roundoff(PRECISION_F32);
}

double sum_roundoffs(const Patient *patient, int products, double work) {
    if (is_half(work)) return patient->tight ? 1 : 3; /* sums of halves are kept in float32 */
    return 3 + fmin(products, 3 * sqrt(products));
}

double sum_share(const Patient *patient, int products, double work) {
    return is_half(work) && patient->tight ? fmin(1, 2 / sqrt(products)) : 1;
}

/* Four sums side by side: a chain of sums waits for each. */
static double dot(const double *x, const double *y, int count) {
    double a = 0, b = 0, c = 0, d = 0;
    int i = 0;
    for (; i + 3 < count; i += 4) {
        a += x[i] * y[i];
        b += x[i + 1] * y[i + 1];
        c += x[i + 2] * y[i + 2];
        d += x[i + 3] * y[i + 3];
    }
    for (; i < count; i++)
        a += x[i] * y[i];
    return a + b + (c + d);
}

static const double *bias_of(const Patient *patient, int matrix) {
    const double *bias = patient_numbers(patient, (DumpPart)(DUMP_B_Q + matrix));
    return bias ? bias : patient->bias_guess[matrix];
}

void project_row(double *out, const double *x, const Patient *patient, int matrix, bool turned,
                 bool unbiased) {
    const double *w = patient_numbers(patient, (DumpPart)(DUMP_W_Q + matrix));
    const double *bias = unbiased ? NULL : bias_of(patient, matrix);
    int width = patient->width;
    for (int o = 0; o < width; o++)
        out[o] = bias ? bias[o] : 0;
    if (turned) {
        for (int i = 0; i < width; i++)
            for (int o = 0; o < width; o++)
                out[o] += x[i] * w[(long)i * width + o];
    } else {
        for (int o = 0; o < width; o++)
            out[o] += dot(x, w + (long)o * width, width);
    }
}

static Projected *place_of(Patient *patient, Projection p) {
    return &patient->projected[((p.which * 2 + p.from_keys) * 2 + p.turned) * 2 + p.unbiased];
}

static DumpPart source_of(const Patient *patient, Projection p) {
    return p.from_keys && patient_has(patient, DUMP_X_KEY_VALUE) ? DUMP_X_KEY_VALUE : DUMP_X_QUERY;
}

static bool make_room(Patient *patient, Projection p) {
    Projected *place = place_of(patient, p);
    if (place->numbers) return true;
    size_t rows =
        (size_t)patient->sizes.batch * (size_t)patient_steps(patient, source_of(patient, p));
    place->numbers = calloc(rows * (size_t)patient->width, sizeof *place->numbers);
    place->rows = calloc(rows, sizeof *place->rows);
    place->done = calloc((size_t)patient->sizes.batch, sizeof *place->done);
    if (place->numbers && place->rows && place->done) return true;
    free(place->numbers);
    free(place->rows);
    free(place->done);
    *place = (Projected){0};
    patient->no_memory = true;
    return false;
}

Known projection_known(Patient *patient, Projection p, double work) {
    if (!make_room(patient, p)) return (Known){0};
    Projected *place = place_of(patient, p);
    return (Known){.numbers = place->numbers, .rows = place->rows, .relative = work};
}

void projections_forget(Patient *patient) {
    for (int i = 0; i < PROJECTIONS; i++)
        for (int b = 0; b < patient->sizes.batch && patient->projected[i].done; b++)
            patient->projected[i].done[b] = false;
}

static double norm(const double *x, int count) {
    return sqrt(dot(x, x, count));
}

static double largest(const double *x, int count) {
    double most = 0;
    for (int i = 0; x && i < count; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

void projection_need(Patient *patient, Projection p, int b, double work) {
    Projected *place = place_of(patient, p);
    if (!place->numbers || place->done[b]) return;
    place->done[b] = true;
    DumpPart source = source_of(patient, p), matrix = (DumpPart)(DUMP_W_Q + p.which);
    int steps = patient_steps(patient, source), width = patient->width;
    double roundoffs = patient_roundoff(patient, source) + patient_roundoff(patient, matrix) +
                       work * sum_roundoffs(patient, width, work);
    roundoffs *= sum_share(patient, width, work);
    double flat = patient->slack[source] * sqrt(width);
    double bias = work * largest(bias_of(patient, p.which), width);
    for (int t = 0; t < steps; t++) {
        long row = (long)b * steps + t;
        const double *x = patient_numbers(patient, source) + row * width;
        project_row(place->numbers + row * width, x, patient, p.which, p.turned, p.unbiased);
        double longest = patient->largest_norm[p.which][p.turned];
        place->rows[row] = longest * (norm(x, width) * roundoffs + flat) + bias +
                           norm(x, width) * patient->slack[matrix] * sqrt(width);
    }
}
