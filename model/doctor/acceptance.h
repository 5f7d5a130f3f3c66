/* What a correct multi-head attention must show: one call with all its inputs, what somebody's
 * block made of it, and checks that hold the two against each other. The right answer is had head
 * by head: each head is a single-head call of its own with its rows of the projections (D2L 11.5;
 * Vaswani 2017 3.2.2), so that no split of heads is taken on trust. In double. */
#ifndef HEADSCOPE_MODEL_DOCTOR_ACCEPTANCE_H
#define HEADSCOPE_MODEL_DOCTOR_ACCEPTANCE_H

#include "model/doctor/doctor.h"

/* The projections, in this order wherever there are four. */
enum { PROJECTION_Q, PROJECTION_K, PROJECTION_V, PROJECTION_O, PROJECTIONS };

/* Everything that one call of multi-head attention reads. */
typedef struct AcceptanceCall {
    AttentionSizes sizes;
    MaskSource mask;
    const double *x_query;        /* [B,Tq,W] the source of queries */
    const double *x_key_value;    /* [B,Tk,W]; the same pointer: self-attention */
    const double *w[PROJECTIONS]; /* [W,W] as nn.Linear stores them, [out,in] */
    const double *b[PROJECTIONS]; /* [W]; NULL: none */
} AcceptanceCall;

/* One tensor of an answer, and the precision it was computed in. */
typedef struct AcceptanceTensor {
    const double *numbers; /* NULL: not given */
    DumpPrecision precision;
} AcceptanceTensor;

/* What a block made of a call. */
typedef struct AcceptanceAnswer {
    AcceptanceTensor output;  /* [B,Tq,W] */
    AcceptanceTensor weights; /* [B,H,Tq,Tk] */
    AcceptanceTensor context; /* [B,Tq,W] the heads side by side, before the output projection */
    double *block;            /* owned: output, context and weights one after another; NULL: the
                                 tensors are borrowed */
} AcceptanceAnswer;

/* Room for all three tensors, every number NaN. False with *error for lack of memory. */
bool acceptance_answer_make(AcceptanceAnswer *answer, AttentionSizes sizes, DumpPrecision precision,
                            Error *error);
void acceptance_answer_free(AcceptanceAnswer *answer); /* {0} is fine */

/* Anything that answers a call: fills *answer (the caller frees it). */
typedef bool AcceptanceRun(const void *context, AcceptanceAnswer *answer,
                           const AcceptanceCall *call, Error *error);

/* The plain kernel between projections written index by index; `context` is the AttentionMistakes
 * to make, NULL for none. */
bool acceptance_plain(const void *context, AcceptanceAnswer *answer, const AcceptanceCall *call,
                      Error *error);

/* The right answer from one single-head call a head. */
typedef struct AcceptanceReference {
    AcceptanceAnswer answer;
    double *values; /* [B,Tk,W] the heads' values side by side; owned */
    int *visible;   /* [B,Tq] how many keys each query sees, a prefix; owned */
    /* The smallest and largest difference between the maps of two heads of an example (of a pair,
     * the largest over its cells); NaN: no two heads, or no query sees two keys. */
    double alike, apart;
} AcceptanceReference;

bool acceptance_reference_make(AcceptanceReference *reference, const AcceptanceCall *call,
                               Error *error);
void acceptance_reference_free(AcceptanceReference *reference); /* {0} is fine */

/* Returns what `alike` above is of any answer, *largest what `apart` is, and *place where the most
 * alike are: the example, and the later head of the pair. Both may be NULL. */
double acceptance_most_alike(const AcceptanceAnswer *answer, AttentionSizes sizes,
                             const int *visible, double *largest, DoctorPlace *place);

/* --- the checks ------------------------------------------------------------------------------- */

/* Queries that see no key are left out everywhere: conventions differ there. */
typedef enum AcceptanceCheck {
    ACCEPT_OUTPUT_SHAPE,  /* numbers of output [B,Tq,W] that are finite: all */
    ACCEPT_WEIGHTS_SHAPE, /* likewise of weights [B,H,Tq,Tk]: a map for each head */
    ACCEPT_ROWS,          /* |sum of a row - 1|, largest */
    ACCEPT_HIDDEN,        /* the largest weight on a slot that the mask hides */
    ACCEPT_SLOTS,         /* heads that zero the same key slots, whatever the query, as head 0 of
                             their example does: all */
    ACCEPT_SEEN,          /* visible slots with a weight that is not 0: all */
    ACCEPT_HEADS,         /* weights against single-head calls, largest difference */
    ACCEPT_DISTINCT,      /* the most alike two heads: their largest difference, not 0 */
    ACCEPT_CHUNKS,        /* columns h*D to h*D+D-1 of context against what head h's weights, those
                             of the answer where it has them, mix of its values */
    ACCEPT_PROJECTION,    /* output against this context times w_o */
    ACCEPT_OUTPUT,        /* output against the heads' own mixes side by side times w_o */
    ACCEPT_PADDING,       /* how much output moves when hidden keys' sources are changed: 0 */
    ACCEPT_EXAMPLES,      /* likewise when the last example is changed, over the others */
    ACCEPT_FUTURE,        /* causal: likewise when later steps are changed, over the earlier */
    ACCEPT_CHECKS
} AcceptanceCheck;

/* The checks from ACCEPT_PADDING on run the block again and cannot be made of one dump. */
enum { ACCEPT_ONE_RUN = ACCEPT_PADDING };

/* "rows-sum-to-1", for figures in tables; and a line for people. */
const char *acceptance_check_name(AcceptanceCheck check);
const char *acceptance_check_title(AcceptanceCheck check);

/* One sentence: where to look when it fails. */
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
    double allowed;  /* what rounding may do to it (ACCEPT_DISTINCT: the least it must be) */
    bool counts;     /* `count` of `of` is what was looked at, not value and allowed */
    long count, of;  /* good ones of all; otherwise `of` numbers were compared */
    DoctorPlace place; /* of the value, or of the first bad one */
} AcceptanceFinding;

typedef struct AcceptanceReport {
    AcceptanceFinding findings[ACCEPT_CHECKS];
    double *chunk_gaps; /* [H,H] owned; largest difference of chunk c (row) from head h's mix
                           (column), as in ACCEPT_CHUNKS; NULL: no context */
} AcceptanceReport;

/* Makes all checks that one answer allows. */
bool acceptance_check(AcceptanceReport *report, const AcceptanceCall *call,
                      const AcceptanceReference *reference, const AcceptanceAnswer *answer,
                      Error *error);

/* The checks that run the block anew, added to the report. */
bool acceptance_check_runs(AcceptanceReport *report, const AcceptanceCall *call,
                           const AcceptanceReference *reference, AcceptanceRun *run,
                           const void *context, Error *error);
void acceptance_report_free(AcceptanceReport *report); /* {0} is fine */

/* What a mistake does to a call: how far weights and output come from the right ones, over queries
 * that see a key, and which checks of one run fail. */
typedef struct AcceptanceMistake {
    double weights_gap, output_gap;
    double weights_allowed, output_allowed; /* no larger a gap is none */
    bool fails[ACCEPT_ONE_RUN];
} AcceptanceMistake;

/* Runs the plain block with those mistakes. */
bool acceptance_mistake(AcceptanceMistake *mistake, AttentionMistakes mistakes,
                        const AcceptanceCall *call, const AcceptanceReference *reference,
                        Error *error);

/* How many findings are in that state. */
int acceptance_count(const AcceptanceReport *report, AcceptanceState state);

/* The largest difference that rounding explains, between numbers of which the largest is `largest`:
 * errors of a sum of W products grow about as sqrt(W) units in the last place, and four such sums
 * follow one another. Numbers stored as halves are off by their own rounding first of all. */
double acceptance_allowed(DumpPrecision precision, int width, double largest);

#endif
