/* A dump made ready: sizes, the precision of its numbers, and projections computed when they are
 * asked for. */
#ifndef HEADSCOPE_MODEL_DOCTOR_PREPARED_DUMP_H
#define HEADSCOPE_MODEL_DOCTOR_PREPARED_DUMP_H

#include "model/doctor/doctor.h"

/* --- precision -------------------------------------------------------------------------------- */

/* The largest relative error of rounding to that precision: 2^-bits. */
double precision_roundoff(DumpPrecision precision);

/* What may stand in the place of a 0, and the largest number there is. */
double precision_floor(DumpPrecision precision);
double precision_largest(DumpPrecision precision);

/* Whether all numbers can be written in that precision without rounding. NaN and infinities can. */
bool numbers_fit(const double *numbers, long count, DumpPrecision precision);

/* With how many decimals, 2 to 6, the numbers were printed; 0: they were not, or it cannot be told.
 */
int numbers_decimals(const double *numbers, long count, DumpPrecision precision);

/* --- the dump --------------------------------------------------------------------------------- */

/* A tensor with bounds of its errors: of the number at i, relative * |number| + flat + rows[i/W].
 */
typedef struct BoundedTensor {
    const double *numbers; /* NULL: not known, or there is no memory for it */
    double relative, flat;
    const double *rows; /* [B*T]; NULL: 0 */
    bool split;         /* lies as [B,H,T,D] */
} BoundedTensor;

/* A projection that was computed, example by example as they are asked for. */
typedef struct ProjectionCache {
    double *numbers, *rows;
    bool *done; /* [B] */
} ProjectionCache;

enum { PREPARED_PROJECTIONS = 3 * 2 * 2 * 2 };

typedef struct PreparedDump {
    const Dump *dump;
    AttentionSizes sizes;
    int width;
    double slack[DUMP_PARTS]; /* the error of numbers that were printed with few decimals */
    double half_roundoff;     /* roundoff of a hypothesis of half precision; 0: none */
    double *weights;          /* [B,H,Tq,Tk] transposed from columns; NULL: as in the dump */
    double *bias_guess[4];    /* [W] of b_q, b_k, b_v, b_o; NULL: none */
    ProjectionCache projected[PREPARED_PROJECTIONS];
    double max_norm[4][2]; /* of the rows, and columns, of w_q, w_k, w_v, w_o */
    bool tight;            /* bounds are those of errors with either sign, not of the worst ones */
    bool no_memory;
} PreparedDump;

bool prepared_open(PreparedDump *prepared, const Dump *dump, Error *error);
void prepared_close(PreparedDump *prepared);

bool prepared_has(const PreparedDump *prepared, DumpPart part);
long prepared_count(const PreparedDump *prepared, DumpPart part);

/* The numbers of a part: those of the dump, or the weights transposed. */
const double *prepared_numbers(const PreparedDump *prepared, DumpPart part);

/* The steps of a part: Tk of keys, values and their source, Tq of the rest. */
int prepared_steps(const PreparedDump *prepared, DumpPart part);

/* Whether query, key or value is in the dump or can be computed. */
bool prepared_can_get(const PreparedDump *prepared, DumpPart part);
bool prepared_can_project(const PreparedDump *prepared, DumpPart part);

/* The relative error of a part's numbers, and no less than that of a hypothesis of half precision.
 */
double prepared_roundoff(const PreparedDump *prepared, DumpPart part);

/* The weights with their last axes exchanged, where Tq is Tk. */
bool prepared_transpose_weights(PreparedDump *prepared);

/* --- projections of the sources, right or wrong ----------------------------------------------- */

typedef struct Projection {
    int which;       /* 0 query, 1 key, 2 value */
    bool from_keys;  /* the source is that of keys and values */
    bool transposed; /* by the matrix as it lies, [in,out] */
    bool no_bias;
} Projection;

/* The roundoffs of a sum of that many products come to about this many: of the product, the scale
 * and what is stored, and of each step of the sum, whose errors have either sign (three deviations:
 * a first product that outweighs the rest is rounded again at every step). */
double sum_roundoffs(const PreparedDump *prepared, int products, double work);

/* What is taken of the bound of a sum of that many products: all of it, or if the prepared is tight
 * and the numbers are halves, some deviations of errors that have either sign. */
double sum_share(const PreparedDump *prepared, int products, double work);

/* Where the projection lies; its numbers are there once it was computed for the example. */
BoundedTensor projection_tensor(PreparedDump *prepared, Projection projection, double work);

/* Computes example b if that was not done. */
void projection_compute(PreparedDump *prepared, Projection projection, int b, double work);

/* All are computed anew when needed: what their errors come from has changed. */
void projections_invalidate(PreparedDump *prepared);

/* out [W] = x [W] by matrix (w_q, w_k, w_v, w_o are 0 to 3), and the bias. */
void project_row(double *out, const double *x, const PreparedDump *prepared, int matrix,
                 bool transposed, bool no_bias);

#endif
