/* A dump prepared for the doctor: its sizes, the precision of its numbers, and projections that are
 * computed on demand. */
#ifndef HEADSCOPE_MODEL_DOCTOR_PREPARED_DUMP_H
#define HEADSCOPE_MODEL_DOCTOR_PREPARED_DUMP_H

#include "model/doctor/doctor.h"

/* --- precision -------------------------------------------------------------------------------- */

/* The largest relative rounding error: 2^-bits. */
double precision_roundoff(DumpPrecision precision);

/* The smallest number that still counts as nonzero, and the largest finite number. */
double precision_floor(DumpPrecision precision);
double precision_largest(DumpPrecision precision);

/* True if every number is exact in that precision. NaN and infinities are. */
bool numbers_fit(const double *numbers, long count, DumpPrecision precision);

/* The number of decimals, 2 to 6, that the numbers were rounded to; 0: not rounded, or unknown. */
int numbers_decimals(const double *numbers, long count, DumpPrecision precision);

/* --- the dump --------------------------------------------------------------------------------- */

/* A tensor with bounds on its errors: number i is off by at most
 * relative * |number| + flat + rows[i/W]. */
typedef struct BoundedTensor {
    const double *numbers; /* NULL: not available, or out of memory */
    double relative, flat;
    const double *rows; /* [B*T]; NULL: 0 */
    bool split;         /* stored as [B,H,T,D] */
} BoundedTensor;

/* One projection of a source, computed example by example on demand. */
typedef struct ProjectionCache {
    double *numbers, *rows;
    bool *done; /* [B] */
} ProjectionCache;

enum { PREPARED_PROJECTIONS = 3 * 2 * 2 * 2 };

typedef struct PreparedDump {
    const Dump *dump;
    AttentionSizes sizes;
    int width;
    double decimal_error[DUMP_PARTS]; /* error of numbers that were printed with few decimals */
    double half_roundoff;  /* roundoff of the half precision that is being tried; 0: none */
    double *weights;       /* [B,H,Tq,Tk] transposed from columns; NULL: as in the dump */
    double *bias_guess[4]; /* [W] of b_q, b_k, b_v, b_o; NULL: none */
    ProjectionCache projected[PREPARED_PROJECTIONS];
    double max_norm[4][2]; /* of the rows, and of the columns, of w_q, w_k, w_v, w_o */
    bool tight; /* bounds assume that rounding errors have random signs, not the worst case */
    bool no_memory;
} PreparedDump;

bool prepared_open(PreparedDump *prepared, const Dump *dump, Error *error);
void prepared_close(PreparedDump *prepared);

bool prepared_has(const PreparedDump *prepared, DumpPart part);
long prepared_count(const PreparedDump *prepared, DumpPart part);

/* The numbers of a part: as in the dump, or the transposed weights. */
const double *prepared_numbers(const PreparedDump *prepared, DumpPart part);

/* True for keys, values and their source, whose steps are Tk; the other parts have Tq. */
bool part_is_of_keys(DumpPart part);
int prepared_steps(const PreparedDump *prepared, DumpPart part);

/* The mask of the dump. lens [B] or [B,Tq] is filled with the valid lengths, clamped to 0..keys. */
MaskSource prepared_mask(const PreparedDump *prepared, int keys, int *lens);

/* The number of valid lengths: B, or B*Tq. */
long prepared_lens_count(const PreparedDump *prepared);

/* Whether query, key or value can be projected from its source; whether it is in the dump or can
 * be projected. */
bool prepared_can_project(const PreparedDump *prepared, DumpPart part);
bool prepared_can_get(const PreparedDump *prepared, DumpPart part);

/* The relative error of a part's numbers, at least half_roundoff. */
double prepared_roundoff(const PreparedDump *prepared, DumpPart part);

/* Swaps the last two axes of the weights. Requires Tq == Tk, or weights stored as [B,H,Tk,Tq]. */
bool prepared_transpose_weights(PreparedDump *prepared);

/* --- projections of the sources, right or wrong ----------------------------------------------- */

typedef struct Projection {
    int which;       /* 0 query, 1 key, 2 value */
    bool from_keys;  /* from the source of keys and values */
    bool transposed; /* by the matrix read as [in,out] */
    bool no_bias;
} Projection;

/* The error of a sum of that many products, in roundoffs: those of the product, the scale and the
 * stored result, and one for each addition, whose errors have random signs (three deviations: a
 * first product that outweighs the rest is rounded again at every step). */
double sum_roundoffs(const PreparedDump *prepared, int products, double work);

/* The share of the worst-case bound of a sum of that many products that is allowed: 1, or a few
 * deviations of errors with random signs where bounds are tight and numbers are halves. */
double sum_share(const PreparedDump *prepared, int products, double work);

/* The tensor of a projection. Its numbers for an example are valid after projection_compute. */
BoundedTensor projection_tensor(PreparedDump *prepared, Projection projection, double work);

/* Computes the projection of example b unless it is cached. */
void projection_compute(PreparedDump *prepared, Projection projection, int b, double work);

/* Drops all cached projections. Call when anything changes that their error bounds depend on. */
void projections_invalidate(PreparedDump *prepared);

/* out [W] = x [W] times matrix 0 to 3 (w_q, w_k, w_v, w_o), plus its bias. */
void project_row(double *out, const double *x, const PreparedDump *prepared, int matrix,
                 bool transposed, bool no_bias);

#endif
