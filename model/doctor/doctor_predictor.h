/* What a dump would hold if a hypothesis were true: predicted numbers and their error bounds. */
#ifndef HEADSCOPE_MODEL_DOCTOR_DOCTOR_PREDICTOR_H
#define HEADSCOPE_MODEL_DOCTOR_DOCTOR_PREDICTOR_H

#include "model/doctor/doctor_hypotheses.h"

/* One line of a target: of weights, the row of one query and head; of context, the D numbers of one
 * head and step; of other tensors, a step. */
typedef struct Unit {
    int target, b, h, t;
} Unit;

/* The weights that implementations give to a query that sees no key. */
typedef enum EmptyKind {
    EMPTY_ROW_ZERO,
    EMPTY_ROW_UNIFORM,      /* over all keys: D2L's -1e6 */
    EMPTY_ROW_PAST_UNIFORM, /* over the keys that the causal mask shows */
    EMPTY_ROW_SEES,         /* as if nothing were hidden: a finite additive mask */
    EMPTY_ROW_SEES_PAST,    /* as if only the causal mask hid keys */
    EMPTY_ROW_NAN,
    EMPTY_ROW_KINDS
} EmptyKind;

typedef struct Predictor {
    PreparedDump *prepared;
    const Segment *segment;
    Hypothesis hypothesis;
    AttentionSizes sizes; /* under the hypothesis */
    AttentionRule rule;
    BoundedTensor query, key, value;
    double work; /* roundoff of the arithmetic that made the dump */
    EmptyKind empty;
    /* The last unit: */
    bool has_empty_row; /* depends on a row that sees no key, or, with another softmax, may contain
                           a column in which everything is hidden */
    int cells;
    double *predicted, *allowed; /* [cells] */
    long *at;                    /* [cells] index in the target's numbers */
    /* Scratch: */
    int *room, *lens;
    double *row, *row_error, *sum, *sum_error, *plane, *context, *context_error;
    double *key_norm, *key_error; /* [H,Tk] of one example */
    bool *plane_done, *norm_done; /* [H] */
    double meaningless[3];        /* of each target: a bound this large proves nothing */
    bool keeps_planes;            /* plane holds [H,Tq,Tk] of one example, not one head's */
    int plane_b, plane_at, norm_b;
    EmptyKind plane_empty;
} Predictor;

/* Returns false if out of memory. */
bool predictor_open(Predictor *predictor, PreparedDump *prepared, const Segment *segment);
void predictor_close(Predictor *predictor);

/* Sets the hypothesis. Returns false if it cannot have made tensors of these shapes. */
bool predictor_set(Predictor *predictor, const Hypothesis *hypothesis);

/* Computes example b of query, key or value, unless it is taken from the dump. */
void predictor_project(Predictor *predictor, DumpPart part, int b);

/* Predicts the cells of a unit and how far the dump may be from them. */
void predict_unit(Predictor *predictor, Unit unit);

/* The number of units of a target, and the unit at an index. */
long predictor_units(const Predictor *predictor, int target);
Unit predictor_unit(const Predictor *predictor, int target, long index);

/* Writes the scores of a row [Tk] before any mask, and the keys that it sees. */
void predict_scores(Predictor *predictor, Unit unit, double *scores, int *first, int *end);

#endif
