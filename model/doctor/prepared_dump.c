#include "model/doctor/prepared_dump.h"

#include <math.h>
#include <stdlib.h>

#include "model/base/minmax.h"

/* --- precision -------------------------------------------------------------------------------- */

double precision_roundoff(DumpPrecision precision) {
    static const int bits[] = {53, 24, 11, 8};
    return ldexp(1, -bits[precision]);
}

/* float16 has no number between 0 and 6e-8. The others reach 1e-38 and below; there, a hidden
 * weight above the floor means that the mask added -27 or more. */
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
            /* Fails also where the roundoff of a large number is as coarse as the decimals. */
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

bool prepared_has(const PreparedDump *prepared, DumpPart part) {
    return prepared->dump->parts[part].numbers != NULL;
}

bool part_is_of_keys(DumpPart part) {
    return part == DUMP_X_KEY_VALUE || part == DUMP_KEY || part == DUMP_VALUE;
}

int prepared_steps(const PreparedDump *prepared, DumpPart part) {
    return part_is_of_keys(part) ? prepared->sizes.keys : prepared->sizes.queries;
}

long prepared_lens_count(const PreparedDump *prepared) {
    AttentionSizes n = prepared->sizes;
    return prepared->dump->per_query ? (long)n.batch * n.queries : n.batch;
}

MaskSource prepared_mask(const PreparedDump *prepared, int keys, int *lens) {
    const Dump *dump = prepared->dump;
    for (long i = 0; dump->valid_lens && i < prepared_lens_count(prepared); i++)
        lens[i] = int_clamp(dump->valid_lens[i], 0, keys);
    return (MaskSource){dump->valid_lens ? lens : NULL, dump->per_query, dump->causal};
}

long prepared_count(const PreparedDump *prepared, DumpPart part) {
    AttentionSizes n = prepared->sizes;
    if (part >= DUMP_W_Q && part <= DUMP_W_O) return (long)prepared->width * prepared->width;
    if (part >= DUMP_B_Q && part <= DUMP_B_O) return prepared->width;
    if (part == DUMP_WEIGHTS) {
        int heads = prepared->dump->parts[part].averaged ? 1 : n.heads;
        return (long)n.batch * heads * n.queries * n.keys;
    }
    return (long)n.batch * prepared_steps(prepared, part) * prepared->width;
}

const double *prepared_numbers(const PreparedDump *prepared, DumpPart part) {
    if (part == DUMP_WEIGHTS && prepared->weights) return prepared->weights;
    return prepared->dump->parts[part].numbers;
}

double prepared_roundoff(const PreparedDump *prepared, DumpPart part) {
    return fmax(precision_roundoff(prepared->dump->parts[part].precision), prepared->half_roundoff);
}

/* The source that a part is projected from. In self-attention all parts share that of queries. */
static DumpPart source_of_part(const PreparedDump *prepared, DumpPart part) {
    bool other = part != DUMP_QUERY && prepared_has(prepared, DUMP_X_KEY_VALUE);
    return other ? DUMP_X_KEY_VALUE : DUMP_X_QUERY;
}

/* Steps are compared since x_query can be the source of keys only where Tk == Tq. */
bool prepared_can_project(const PreparedDump *prepared, DumpPart part) {
    DumpPart source = source_of_part(prepared, part);
    return prepared_has(prepared, source) &&
           prepared_has(prepared, (DumpPart)(DUMP_W_Q + (part - DUMP_QUERY))) &&
           prepared_steps(prepared, source) == prepared_steps(prepared, part);
}

bool prepared_can_get(const PreparedDump *prepared, DumpPart part) {
    return prepared_has(prepared, part) || prepared_can_project(prepared, part);
}

bool prepared_transpose_weights(PreparedDump *prepared) {
    AttentionSizes n = prepared->sizes;
    const double *from = prepared_numbers(prepared, DUMP_WEIGHTS);
    long maps = (long)n.batch * (prepared->dump->parts[DUMP_WEIGHTS].averaged ? 1 : n.heads);
    long size = (long)n.queries * n.keys;
    double *transposed = malloc((size_t)(maps * size) * sizeof *transposed);
    if (!transposed) {
        prepared->no_memory = true;
        return false;
    }
    for (long map = 0; map < maps; map++)
        for (int t = 0; t < n.queries; t++)
            for (int j = 0; j < n.keys; j++)
                transposed[map * size + (long)t * n.keys + j] =
                    from[map * size + (long)j * n.queries + t];
    free(prepared->weights);
    prepared->weights = transposed;
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

bool prepared_open(PreparedDump *prepared, const Dump *dump, Error *error) {
    AttentionSizes n = dump->sizes;
    if (n.heads <= 0) n.heads = 1;
    bool weights_alone = n.head_width <= 0 && dump->parts[DUMP_WEIGHTS].numbers;
    for (int part = 0; part < DUMP_PARTS; part++)
        weights_alone = weights_alone && (part == DUMP_WEIGHTS || !dump->parts[part].numbers);
    if (weights_alone) n.head_width = 1;
    *prepared = (PreparedDump){.dump = dump, .sizes = n, .width = n.heads * n.head_width};
    if (n.batch <= 0 || n.queries <= 0 || n.keys <= 0 || n.head_width <= 0)
        return error_usage(error, "the dump is empty: a size of its tensors is 0");
    for (int i = 0; i < 4; i++) {
        const double *matrix = dump->parts[DUMP_W_Q + i].numbers;
        if (matrix && !measure(prepared->max_norm[i], matrix, prepared->width))
            return error_set(error, "no memory for the doctor");
    }
    if (dump->parts[DUMP_WEIGHTS].numbers && dump->parts[DUMP_WEIGHTS].transposed &&
        !prepared_transpose_weights(prepared))
        return error_set(error, "no memory for the doctor");
    return true;
}

void prepared_close(PreparedDump *prepared) {
    for (int i = 0; i < PREPARED_PROJECTIONS; i++) {
        free(prepared->projected[i].numbers);
        free(prepared->projected[i].rows);
        free(prepared->projected[i].done);
    }
    for (int i = 0; i < 4; i++)
        free(prepared->bias_guess[i]);
    free(prepared->weights);
    *prepared = (PreparedDump){0};
}

/* --- projections ------------------------------------------------------------------------------ */

static bool is_half(double work) {
    return work > precision_roundoff(PRECISION_F32);
}

double sum_roundoffs(const PreparedDump *prepared, int products, double work) {
    if (is_half(work)) return prepared->tight ? 1 : 3; /* sums of halves are kept in float32 */
    return 3 + fmin(products, 3 * sqrt(products));
}

double sum_share(const PreparedDump *prepared, int products, double work) {
    return is_half(work) && prepared->tight ? fmin(1, 2 / sqrt(products)) : 1;
}

/* Four independent sums hide the latency of the additions. */
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

static const double *bias_of(const PreparedDump *prepared, int matrix) {
    const double *bias = prepared_numbers(prepared, (DumpPart)(DUMP_B_Q + matrix));
    return bias ? bias : prepared->bias_guess[matrix];
}

void project_row(double *out, const double *x, const PreparedDump *prepared, int matrix,
                 bool transposed, bool no_bias) {
    const double *w = prepared_numbers(prepared, (DumpPart)(DUMP_W_Q + matrix));
    const double *bias = no_bias ? NULL : bias_of(prepared, matrix);
    int width = prepared->width;
    for (int o = 0; o < width; o++)
        out[o] = bias ? bias[o] : 0;
    if (transposed) {
        for (int i = 0; i < width; i++)
            for (int o = 0; o < width; o++)
                out[o] += x[i] * w[(long)i * width + o];
    } else {
        for (int o = 0; o < width; o++)
            out[o] += dot(x, w + (long)o * width, width);
    }
}

static ProjectionCache *place_of(PreparedDump *prepared, Projection p) {
    return &prepared->projected[((p.which * 2 + p.from_keys) * 2 + p.transposed) * 2 + p.no_bias];
}

static DumpPart source_of(const PreparedDump *prepared, Projection p) {
    return p.from_keys && prepared_has(prepared, DUMP_X_KEY_VALUE) ? DUMP_X_KEY_VALUE
                                                                   : DUMP_X_QUERY;
}

static bool make_room(PreparedDump *prepared, Projection p) {
    ProjectionCache *place = place_of(prepared, p);
    if (place->numbers) return true;
    size_t rows =
        (size_t)prepared->sizes.batch * (size_t)prepared_steps(prepared, source_of(prepared, p));
    place->numbers = calloc(rows * (size_t)prepared->width, sizeof *place->numbers);
    place->rows = calloc(rows, sizeof *place->rows);
    place->done = calloc((size_t)prepared->sizes.batch, sizeof *place->done);
    if (place->numbers && place->rows && place->done) return true;
    free(place->numbers);
    free(place->rows);
    free(place->done);
    *place = (ProjectionCache){0};
    prepared->no_memory = true;
    return false;
}

BoundedTensor projection_tensor(PreparedDump *prepared, Projection p, double work) {
    if (!make_room(prepared, p)) return (BoundedTensor){0};
    ProjectionCache *place = place_of(prepared, p);
    return (BoundedTensor){.numbers = place->numbers, .rows = place->rows, .relative = work};
}

void projections_invalidate(PreparedDump *prepared) {
    for (int i = 0; i < PREPARED_PROJECTIONS; i++)
        for (int b = 0; b < prepared->sizes.batch && prepared->projected[i].done; b++)
            prepared->projected[i].done[b] = false;
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

void projection_compute(PreparedDump *prepared, Projection p, int b, double work) {
    ProjectionCache *place = place_of(prepared, p);
    if (!place->numbers || place->done[b]) return;
    place->done[b] = true;
    DumpPart source = source_of(prepared, p), matrix = (DumpPart)(DUMP_W_Q + p.which);
    int steps = prepared_steps(prepared, source), width = prepared->width;
    double roundoffs = prepared_roundoff(prepared, source) + prepared_roundoff(prepared, matrix) +
                       work * sum_roundoffs(prepared, width, work);
    roundoffs *= sum_share(prepared, width, work);
    double flat = prepared->decimal_error[source] * sqrt(width);
    double bias = work * largest(bias_of(prepared, p.which), width);
    for (int t = 0; t < steps; t++) {
        long row = (long)b * steps + t;
        const double *x = prepared_numbers(prepared, source) + row * width;
        project_row(place->numbers + row * width, x, prepared, p.which, p.transposed, p.no_bias);
        double longest = prepared->max_norm[p.which][p.transposed];
        place->rows[row] = longest * (norm(x, width) * roundoffs + flat) + bias +
                           norm(x, width) * prepared->decimal_error[matrix] * sqrt(width);
    }
}
