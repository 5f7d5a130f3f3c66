/* How far a dump is from what a hypothesis predicts. */
#ifndef HEADSCOPE_MODEL_DOCTOR_DOCTOR_JUDGE_H
#define HEADSCOPE_MODEL_DOCTOR_DOCTOR_JUDGE_H

#include "model/doctor/doctor_predictor.h"

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
bool outcome_is_conclusive(const Outcome *outcome);

#endif
