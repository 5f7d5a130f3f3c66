/* Acceptance checks of a multi-head attention block: one call with all its inputs, the block's
 * answer, and checks of the answer against a reference. The reference runs each head as a
 * single-head call with its own rows of the projections (D2L 11.5; Vaswani 2017 3.2.2), so that it
 * does not depend on any split of heads. In double. */
#ifndef HEADSCOPE_MODEL_DOCTOR_ACCEPTANCE_H
#define HEADSCOPE_MODEL_DOCTOR_ACCEPTANCE_H

#include "model/doctor/doctor.h"

/* The order of the four projections. */
enum { PROJECTION_Q, PROJECTION_K, PROJECTION_V, PROJECTION_O, PROJECTIONS };

/* All inputs of one call of multi-head attention. */
typedef struct AcceptanceCall {
    AttentionSizes sizes;
    MaskSource mask;
    const double *x_query;        /* [B,Tq,W] the source of queries */
    const double *x_key_value;    /* [B,Tk,W]; == x_query in self-attention */
    const double *w[PROJECTIONS]; /* [W,W] as nn.Linear stores them, [out,in] */
    const double *b[PROJECTIONS]; /* [W]; NULL: none */
} AcceptanceCall;

/* A tensor of an answer, and the precision it was computed in. */
typedef struct AcceptanceTensor {
    const double *numbers; /* NULL: not given */
    DumpPrecision precision;
} AcceptanceTensor;

/* The answer of a block to a call. */
typedef struct AcceptanceAnswer {
    AcceptanceTensor output;  /* [B,Tq,W] */
    AcceptanceTensor weights; /* [B,H,Tq,Tk] */
    AcceptanceTensor context; /* [B,Tq,W] the heads side by side, before the output projection */
    double *block;            /* owned: output, context and weights, in this order; NULL: the
                                 tensors are borrowed */
} AcceptanceAnswer;

/* Allocates all three tensors and fills them with NaN. Returns false if out of memory. */
bool acceptance_answer_make(AcceptanceAnswer *answer, AttentionSizes sizes, DumpPrecision precision,
                            Error *error);
void acceptance_answer_free(AcceptanceAnswer *answer); /* {0} is fine */

/* A block under test: answers a call. The caller frees *answer. */
typedef bool AcceptanceRun(const void *context, AcceptanceAnswer *answer,
                           const AcceptanceCall *call, Error *error);

/* The plain kernel, with projections in plain loops. `context`: the AttentionMistakes to make, or
 * NULL. */
bool acceptance_plain(const void *context, AcceptanceAnswer *answer, const AcceptanceCall *call,
                      Error *error);

/* The correct answer, from one single-head call per head. */
typedef struct AcceptanceReference {
    AcceptanceAnswer answer;
    double *values; /* [B,Tk,W] the heads' values side by side; owned */
    int *visible;   /* [B,Tq] how many keys each query sees, a prefix; owned */
    /* The gap of two heads of an example is the largest difference between their maps. NaN: there
     * is one head, or no query sees two keys. */
    double min_head_gap, max_head_gap;
} AcceptanceReference;

bool acceptance_reference_make(AcceptanceReference *reference, const AcceptanceCall *call,
                               Error *error);
void acceptance_reference_free(AcceptanceReference *reference); /* {0} is fine */

/* Returns the min_head_gap of an answer. *largest: its max_head_gap; *place: the example and the
 * later head of the pair with the smallest gap. Both may be NULL. */
double acceptance_min_head_gap(const AcceptanceAnswer *answer, AttentionSizes sizes,
                               const int *visible, double *largest, DoctorPlace *place);

/* --- the checks ------------------------------------------------------------------------------- */

/* All checks leave out queries that see no key: conventions differ there. */
typedef enum AcceptanceCheck {
    ACCEPT_OUTPUT_SHAPE,  /* all numbers of output [B,Tq,W] are finite */
    ACCEPT_WEIGHTS_SHAPE, /* all numbers of weights [B,H,Tq,Tk] are finite */
    ACCEPT_ROWS,          /* rows of weights sum to 1 */
    ACCEPT_HIDDEN,        /* weights that the mask hides are 0 */
    ACCEPT_SLOTS,         /* each head has zeros, over all queries, at the keys where head 0 has */
    ACCEPT_SEEN,          /* visible weights are not 0 */
    ACCEPT_HEADS,         /* weights equal those of single-head calls */
    ACCEPT_DISTINCT,      /* no two heads are equal: min_head_gap is not 0 */
    ACCEPT_CHUNKS,        /* columns h*D to h*D+D-1 of context equal the mix of head h's values with
                             the answer's weights (with the reference's if it has none) */
    ACCEPT_PROJECTION,    /* output equals the answer's context times w_o */
    ACCEPT_OUTPUT,        /* output equals the reference's context times w_o */
    ACCEPT_PADDING,       /* changing the sources of hidden keys does not change output */
    ACCEPT_EXAMPLES,      /* changing the last example does not change the others' output */
    ACCEPT_FUTURE,        /* causal: changing later steps does not change earlier output */
    ACCEPT_CHECKS
} AcceptanceCheck;

/* The checks before this one need a single answer; the others run the block again. */
enum { ACCEPT_ONE_RUN = ACCEPT_PADDING };

/* A name for tables ("rows"), and a one-line title. */
const char *acceptance_check_name(AcceptanceCheck check);
const char *acceptance_check_title(AcceptanceCheck check);

/* One sentence: the likely cause of a failure. */
const char *acceptance_check_mend(AcceptanceCheck check);

typedef enum AcceptanceState {
    ACCEPT_NOT_CHECKED, /* `why` */
    ACCEPT_PASSED,
    ACCEPT_FAILED
} AcceptanceState;

typedef struct AcceptanceFinding {
    AcceptanceState state;
    const char *why; /* not checked: what is missing */
    double value;    /* the largest (ACCEPT_DISTINCT: smallest) difference, or the largest weight */
    double allowed;  /* the largest (ACCEPT_DISTINCT: smallest) value that passes */
    bool counts;     /* the check counts: `count` of `of` pass; else `of` numbers were compared */
    long count, of;
    DoctorPlace place; /* of the value, or of the first that does not pass */
} AcceptanceFinding;

typedef struct AcceptanceReport {
    AcceptanceFinding findings[ACCEPT_CHECKS];
    double *chunk_gaps; /* [H,H] owned: the largest difference of chunk c (row) of context from the
                           mix of head h (column); NULL: no context */
} AcceptanceReport;

/* Makes all checks that need one answer. */
bool acceptance_check(AcceptanceReport *report, const AcceptanceCall *call,
                      const AcceptanceReference *reference, const AcceptanceAnswer *answer,
                      Error *error);

/* Makes the checks that run the block again, and adds them to the report. */
bool acceptance_check_runs(AcceptanceReport *report, const AcceptanceCall *call,
                           const AcceptanceReference *reference, AcceptanceRun *run,
                           const void *context, Error *error);
void acceptance_report_free(AcceptanceReport *report); /* {0} is fine */

/* The effect of a mistake on a call: the largest differences of weights and output from the correct
 * ones, and which checks of one answer fail. */
typedef struct AcceptanceMistake {
    double weights_gap, output_gap;
    double weights_allowed, output_allowed; /* gaps up to here are rounding */
    bool fails[ACCEPT_ONE_RUN];
} AcceptanceMistake;

/* Runs the plain block with the mistakes. */
bool acceptance_mistake(AcceptanceMistake *mistake, AttentionMistakes mistakes,
                        const AcceptanceCall *call, const AcceptanceReference *reference,
                        Error *error);

/* The number of findings in that state. */
int acceptance_count(const AcceptanceReport *report, AcceptanceState state);

/* The largest difference that rounding explains, for numbers up to `largest`. The error of a sum of
 * W products grows like sqrt(W) units in the last place, and four such sums follow one another. For
 * halves, the rounding of the stored numbers dominates. */
double acceptance_allowed(DumpPrecision precision, int width, double largest);

#endif
