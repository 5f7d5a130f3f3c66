/* A hypothesis taken up: its rule, and query, key and value as it has them. */
#ifndef HEADSCOPE_MODEL_DOCTOR_DOCTOR_PREDICTOR_H
#define HEADSCOPE_MODEL_DOCTOR_DOCTOR_PREDICTOR_H

#include "model/doctor/doctor_hypotheses.h"

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
    PreparedDump *prepared;
    const Segment *segment;
    Hypothesis hypothesis;
    AttentionSizes sizes; /* as the hypothesis has them */
    AttentionRule rule;
    BoundedTensor query, key, value;
    double work; /* the roundoff of the maker's arithmetic */
    EmptyKind empty;
    bool has_empty_row; /* the last unit has a row that sees no key, or may have a line of another
                       softmax in which all is hidden */
    int cells;          /* of the last unit */
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

bool predictor_open(Predictor *predictor, PreparedDump *prepared, const Segment *segment);
void predictor_close(Predictor *predictor);

/* Takes up a hypothesis; false if it cannot be what made tensors of these shapes. */
bool predictor_set(Predictor *predictor, const Hypothesis *hypothesis);

/* Computes the numbers of one example of query, key or value, where they are not in the dump. */
void predictor_project(Predictor *predictor, DumpPart part, int b);

/* The cells of a unit, what they should be, and how far they may be from it. */
void predict_unit(Predictor *predictor, Unit unit);

/* How many units a target has, and the one at an index. */
long predictor_units(const Predictor *predictor, int target);
Unit predictor_unit(const Predictor *predictor, int target, long index);

/* The scores of a row [Tk] before any mask, and the keys it sees. */
void predict_scores(Predictor *predictor, Unit unit, double *scores, int *first, int *end);

#endif
