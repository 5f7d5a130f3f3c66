/* What the files of the doctor share: a dump made ready, hypotheses, and what they predict. Not for
 * others: these read model/doctor/doctor.h. */
#ifndef HEADSCOPE_MODEL_DOCTOR_DOCTOR_CASE_H
#define HEADSCOPE_MODEL_DOCTOR_DOCTOR_CASE_H

#include <stddef.h>

#include "model/doctor/doctor.h"

/* --- precision (doctor_tolerance.c) ----------------------------------------------------------- */

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

/* --- the dump made ready (doctor_patient.c) --------------------------------------------------- */

/* A tensor with bounds of its errors: of the number at i, relative * |number| + flat + rows[i/W].
 */
typedef struct Known {
    const double *numbers; /* NULL: not known, or there is no memory for it */
    double relative, flat;
    const double *rows; /* [B*T]; NULL: 0 */
    bool split;         /* lies as [B,H,T,D] */
} Known;

/* A projection that was computed, example by example as they are asked for. */
typedef struct Projected {
    double *numbers, *rows;
    bool *done; /* [B] */
} Projected;

enum { PROJECTIONS = 3 * 2 * 2 * 2 };

typedef struct Patient {
    const Dump *dump;
    AttentionSizes sizes;
    int width;
    double slack[DUMP_PARTS]; /* the error of numbers that were printed with few decimals */
    double coarse;            /* roundoff of a hypothesis of half precision; 0: none */
    double *weights;          /* [B,H,Tq,Tk] turned from columns; NULL: as in the dump */
    double *bias_guess[4];    /* [W] of b_q, b_k, b_v, b_o; NULL: none */
    Projected projected[PROJECTIONS];
    double largest_norm[4][2]; /* of the rows, and columns, of w_q, w_k, w_v, w_o */
    bool tight; /* bounds are those of errors with either sign, not of the worst ones */
    bool no_memory;
} Patient;

bool patient_open(Patient *patient, const Dump *dump, Error *error);
void patient_close(Patient *patient);

bool patient_has(const Patient *patient, DumpPart part);
long patient_count(const Patient *patient, DumpPart part);

/* The numbers of a part: those of the dump, or the weights turned. */
const double *patient_numbers(const Patient *patient, DumpPart part);

/* The steps of a part: Tk of keys, values and their source, Tq of the rest. */
int patient_steps(const Patient *patient, DumpPart part);

/* Whether query, key or value is in the dump or can be computed. */
bool patient_knows(const Patient *patient, DumpPart part);
bool patient_can_project(const Patient *patient, DumpPart part);

/* The relative error of a part's numbers, and no less than that of a hypothesis of half precision.
 */
double patient_roundoff(const Patient *patient, DumpPart part);

/* The weights with their last axes exchanged, where Tq is Tk. */
bool patient_turn_weights(Patient *patient);

/* --- hypotheses (doctor_hypotheses.c) --------------------------------------------------------- */

/* What dropout took: cells of what is compared, or weights (known) of a context. */
typedef enum DropoutKind { DROPS_NOTHING, DROPS_CELLS, DROPS_WEIGHTS } DropoutKind;

/* {0} is right. */
typedef struct Hypothesis {
    const MistakeKind *kinds[2];
    AttentionMistakes attention;
    bool swapped, averaged, unprojected;
    bool exchanged; /* w_q made the keys, and w_k the queries */
    DropoutKind dropout;
    bool query_from_keys, key_from_queries, value_from_queries;
    unsigned turned, unbiased; /* bit i: of w_q, w_k, w_v, w_o */
    double factor;             /* of what dropout kept: 1/(1-p) */
} Hypothesis;

/* What is compared, and from what. */
typedef struct Segment {
    DoctorStage from, until;
    DumpPart targets[3];
    int target_count;
    bool given[DUMP_PARTS]; /* query, key, value, weights, context: taken from the dump */
} Segment;

/* Whether a segment reads a part of the dump or compares it. */
bool segment_involves(const Segment *segment, DumpPart part);

enum { DOCTOR_SINGLES = 80 };

/* All single mistakes that can be made between the segment's ends, in the order of preference;
 * returns how many. Those that change nothing whatever the numbers are left out. */
int doctor_singles(Hypothesis *singles, const Patient *patient, const Segment *segment);

/* Both at once; false if they do not go together. */
bool doctor_pair(Hypothesis *pair, const Hypothesis *one, const Hypothesis *other);

/* Why mistakes cannot be told apart on this dump, into `text`. */
void doctor_same_why(char *text, size_t size, const Patient *patient, const Segment *segment);

/* --- what a hypothesis predicts (doctor_predict.c) -------------------------------------------- */

/* One line of a target: of weights a row of one query and head, of context what a head has of one
 * step, of others a step. */
typedef struct Unit {
    int target, b, h, t;
} Unit;

/* How a row that sees no key may come out, besides zeros; all but NaN are some maker's way. */
typedef enum EmptyKind {
    EMPTY_ROW_ZERO,
    EMPTY_ROW_UNIFORM,      /* over all keys: D2L's -1e6 */
    EMPTY_ROW_PAST_UNIFORM, /* over the keys that causality leaves */
    EMPTY_ROW_SEES,         /* all keys as if nothing were hidden: a finite additive mask */
    EMPTY_ROW_SEES_PAST,
    EMPTY_ROW_NAN,
    EMPTY_ROW_KINDS
} EmptyKind;

typedef struct Predictor {
    Patient *patient;
    const Segment *segment;
    Hypothesis hypothesis;
    AttentionSizes sizes; /* as the hypothesis has them */
    AttentionRule rule;
    Known query, key, value;
    double work; /* the roundoff of the maker's arithmetic */
    EmptyKind empty;
    bool met_empty; /* the last unit has a row that sees no key, or may have a line of another
                       softmax in which all is hidden */
    int cells;      /* of the last unit */
    double *predicted, *allowed;
    long *at; /* where the cells lie in the target's numbers */
    /* scratch */
    int *room, *lens;
    double *row, *row_error, *sum, *sum_error, *plane, *context, *context_error;
    double *key_norm, *key_error; /* [H,Tk] of one example */
    bool *plane_done, *norm_done; /* [H] */
    double reach[3];              /* of each target: a bound as large tells nothing */
    bool keeps_planes;            /* plane holds [H,Tq,Tk] of one example, not one head's */
    int plane_b, plane_at, norm_b;
    EmptyKind plane_empty;
} Predictor;

bool predictor_open(Predictor *predictor, Patient *patient, const Segment *segment);
void predictor_close(Predictor *predictor);

/* Takes up a hypothesis; false if it cannot be what made tensors of these shapes. */
bool predictor_set(Predictor *predictor, const Hypothesis *hypothesis);

/* The cells of a unit, what they should be, and how far they may be from it. */
void predict_unit(Predictor *predictor, Unit unit);

/* How many units a target has, and the one at an index. */
long predictor_units(const Predictor *predictor, int target);
Unit predictor_unit(const Predictor *predictor, int target, long index);

/* The scores of a row [Tk] before any mask, and the keys it sees. */
void predict_scores(Predictor *predictor, Unit unit, double *scores, int *first, int *end);

/* --- judging (doctor_judge.c) ----------------------------------------------------------------- */

typedef struct Outcome {
    double error; /* the largest, in units of what is allowed; INFINITY: no number */
    double difference, allowed;
    int target;
    DoctorPlace place;           /* of the largest difference */
    bool empty[EMPTY_ROW_KINDS]; /* ways in which rows without keys came out */
    DoctorPlace empty_place;     /* the first of them */
    double squares;              /* sum of (difference/allowed)^2 */
    long compared, meaningless;  /* cells; those where anything would be allowed */
    long dropped, kept;          /* of dropout */
    long sizable, above;         /* cells with an error as rounding makes it; those too large */
    double apart[3], size[3];    /* of each target: sums of difference^2 and of predicted^2 */
} Outcome;

/* The largest error of a unit; adds to the outcome. */
double judge_unit(Predictor *predictor, Unit unit, Outcome *outcome);

/* All units, until one has an error above `stop`. errors [units] of each if not NULL. */
void judge_all(Predictor *predictor, Outcome *outcome, double stop, double *errors);

/* Whether most of what was compared could have come out wrong. */
bool judge_tells(const Outcome *outcome);

/* Of a context that was predicted: what it is without the weights that dropout took, which follow
 * from the context where a head has as many columns as keys are seen. False: not known. */
bool dropped_from_mix(Predictor *predictor, Unit unit, Outcome *outcome);

/* Fills in what a hypothesis leaves open (a leaking mask's value, dropout's factor) from the data.
 * False if the data have nothing of it. */
bool judge_estimate(Predictor *predictor, Hypothesis *hypothesis, const Unit *sample, int count);

/* Finds the simplest hypothesis that explains the segment. */
bool judge_segment(StageFinding *finding, Hypothesis *best, Patient *patient,
                   const Segment *segment, Diagnosis *diagnosis);

/* --- the rest --------------------------------------------------------------------------------- */

/* Adds a remark; nothing if there is no room. */
void doctor_remark(Diagnosis *diagnosis, bool is_fault, MistakeId id, DoctorPlace place,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

/* What weights alone tell (doctor_weights.c). */
bool doctor_look_at_weights(Diagnosis *diagnosis, Patient *patient);

/* The matrices of a finding (doctor_evidence.c). best NULL: nothing explains it. */
bool doctor_gather(DoctorEvidence *evidence, Patient *patient, const Segment *segment,
                   const StageFinding *finding, const Hypothesis *best);

/* The weights of the first fault among the remarks, else of the first head, as they are. */
bool doctor_gather_yours(DoctorEvidence *evidence, const Patient *patient,
                         const Diagnosis *diagnosis);

#endif
