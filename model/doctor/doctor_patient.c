#include "model/doctor/doctor_patient.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- precision -------------------------------------------------------------------------------- */

double precision_roundoff(DumpPrecision precision) {
    static const int bits[] = {53, 24, 11, 8};
    return ldexp(1, -bits[precision]);
}

/* f16 has no number between 0 and 6e-8. The others reach 1e-38 and below: hidden weights are 0 but
 * for what a mask of -27 or more lets through. */
double precision_floor(DumpPrecision precision) {
    static const double floors[] = {1e-20, 1e-12, 6e-8, 1e-12};
    return floors[precision];
}

double precision_largest(DumpPrecision precision) {
    static const double largest[] = {1.7e308, 3.4e38, 65504, 3.38e38};
    return largest[precision];
}

static bool fits(double x, DumpPrecision precision) {
    static const int bits[] = {53, 24, 11, 8}, least[] = {-1074, -149, -24, -133};
    if (x == 0 || !isfinite(x)) return true;
    if (fabs(x) > precision_largest(precision)) return false;
    int exponent;
    frexp(x, &exponent);
    int unit = exponent - bits[precision];
    if (unit < least[precision]) unit = least[precision];
    double steps = ldexp(x, -unit);
    return steps == nearbyint(steps);
}

bool numbers_fit(const double *numbers, long count, DumpPrecision precision) {
    for (long i = 0; i < count; i++)
        if (!fits(numbers[i], precision)) return false;
    return true;
}

int numbers_decimals(const double *numbers, long count, DumpPrecision precision) {
    double roundoff = precision_roundoff(precision), power = 10;
    if (precision == PRECISION_F16 || precision == PRECISION_BF16) return 0;
    for (int decimals = 2; decimals <= 6; decimals++) {
        power = pow(10, decimals);
        long i = 0;
        for (; i < count; i++) {
            double steps = numbers[i] * power;
            if (!isfinite(steps)) continue;
            /* Numbers too large for the grid to show say nothing. */
            double blur = 2 * roundoff * fabs(steps);
            if (blur > 0.1 || fabs(steps - nearbyint(steps)) > blur) break;
        }
        if (i == count) return decimals;
    }
    return 0;
}

/* --- the dump --------------------------------------------------------------------------------- */

const char *dump_part_name(DumpPart part) {
    static const char *const names[DUMP_PARTS] = {
        "x_query", "x_key_value", "w_q",   "w_k", "w_v",   "w_o",     "b_q",     "b_k",
        "b_v",     "b_o",         "query", "key", "value", "weights", "context", "output"};
    return (unsigned)part < DUMP_PARTS ? names[part] : "?";
}

bool patient_has(const Patient *patient, DumpPart part) {
    return patient->dump->parts[part].numbers != NULL;
}

int patient_steps(const Patient *patient, DumpPart part) {
    bool of_keys = part == DUMP_X_KEY_VALUE || part == DUMP_KEY || part == DUMP_VALUE;
    return of_keys ? patient->sizes.keys : patient->sizes.queries;
}

long patient_count(const Patient *patient, DumpPart part) {
    AttentionSizes n = patient->sizes;
    if (part >= DUMP_W_Q && part <= DUMP_W_O) return (long)patient->width * patient->width;
    if (part >= DUMP_B_Q && part <= DUMP_B_O) return patient->width;
    if (part == DUMP_WEIGHTS) {
        int heads = patient->dump->parts[part].averaged ? 1 : n.heads;
        return (long)n.batch * heads * n.queries * n.keys;
    }
    return (long)n.batch * patient_steps(patient, part) * patient->width;
}

const double *patient_numbers(const Patient *patient, DumpPart part) {
    if (part == DUMP_WEIGHTS && patient->weights) return patient->weights;
    return patient->dump->parts[part].numbers;
}

double patient_roundoff(const Patient *patient, DumpPart part) {
    return fmax(precision_roundoff(patient->dump->parts[part].precision), patient->coarse);
}

/* The source of keys and values; in self-attention that of the queries. */
static DumpPart source_of_part(const Patient *patient, DumpPart part) {
    bool other = part != DUMP_QUERY && patient_has(patient, DUMP_X_KEY_VALUE);
    return other ? DUMP_X_KEY_VALUE : DUMP_X_QUERY;
}

/* The source must have the steps of what is made from it: the queries' is that of as many keys. */
bool patient_can_project(const Patient *patient, DumpPart part) {
    DumpPart source = source_of_part(patient, part);
    return patient_has(patient, source) &&
           patient_has(patient, (DumpPart)(DUMP_W_Q + (part - DUMP_QUERY))) &&
           patient_steps(patient, source) == patient_steps(patient, part);
}

bool patient_knows(const Patient *patient, DumpPart part) {
    return patient_has(patient, part) || patient_can_project(patient, part);
}

bool patient_turn_weights(Patient *patient) {
    AttentionSizes n = patient->sizes;
    const double *from = patient_numbers(patient, DUMP_WEIGHTS);
    long maps = (long)n.batch * (patient->dump->parts[DUMP_WEIGHTS].averaged ? 1 : n.heads);
    long size = (long)n.queries * n.keys;
    double *turned = malloc((size_t)(maps * size) * sizeof *turned);
    if (!turned) {
        patient->no_memory = true;
        return false;
    }
    for (long map = 0; map < maps; map++)
        for (int t = 0; t < n.queries; t++)
            for (int j = 0; j < n.keys; j++)
                turned[map * size + (long)t * n.keys + j] =
                    from[map * size + (long)j * n.queries + t];
    free(patient->weights);
    patient->weights = turned;
    return true;
}

/* The largest norm of the rows and of the columns of a matrix [W,W]. */
static bool measure(double largest[2], const double *matrix, int width) {
    double *columns = calloc((size_t)width, sizeof *columns);
    if (!columns) return false;
    largest[0] = largest[1] = 0;
    for (int o = 0; o < width; o++) {
        double row = 0;
        for (int i = 0; i < width; i++) {
            double square = matrix[(long)o * width + i] * matrix[(long)o * width + i];
            row += square;
            columns[i] += square;
        }
        largest[0] = fmax(largest[0], sqrt(row));
    }
    for (int i = 0; i < width; i++)
        largest[1] = fmax(largest[1], sqrt(columns[i]));
    free(columns);
    return true;
}

bool patient_open(Patient *patient, const Dump *dump, Error *error) {
    AttentionSizes n = dump->sizes;
    if (n.heads <= 0) n.heads = 1;
    bool weights_alone = n.head_width <= 0 && dump->parts[DUMP_WEIGHTS].numbers;
    for (int part = 0; part < DUMP_PARTS; part++)
        weights_alone = weights_alone && (part == DUMP_WEIGHTS || !dump->parts[part].numbers);
    if (weights_alone) n.head_width = 1;
    *patient = (Patient){.dump = dump, .sizes = n, .width = n.heads * n.head_width};
    if (n.batch <= 0 || n.queries <= 0 || n.keys <= 0 || n.head_width <= 0)
        return error_usage(error, "the dump is empty: a size of its tensors is 0");
    for (int i = 0; i < 4; i++) {
        const double *matrix = dump->parts[DUMP_W_Q + i].numbers;
        if (matrix && !measure(patient->largest_norm[i], matrix, patient->width))
            return error_set(error, "no memory for the doctor");
    }
    if (dump->parts[DUMP_WEIGHTS].numbers && dump->parts[DUMP_WEIGHTS].transposed &&
        !patient_turn_weights(patient))
        return error_set(error, "no memory for the doctor");
    return true;
}

void patient_close(Patient *patient) {
    for (int i = 0; i < PATIENT_PROJECTIONS; i++) {
        free(patient->projected[i].numbers);
        free(patient->projected[i].rows);
        free(patient->projected[i].done);
    }
    for (int i = 0; i < 4; i++)
        free(patient->bias_guess[i]);
    free(patient->weights);
    *patient = (Patient){0};
}

/* --- projections ------------------------------------------------------------------------------ */

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
    for (int i = 0; i < PATIENT_PROJECTIONS; i++)
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
