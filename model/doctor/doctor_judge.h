/* Compares a dump with what a hypothesis predicts. */
#ifndef HEADSCOPE_MODEL_DOCTOR_DOCTOR_JUDGE_H
#define HEADSCOPE_MODEL_DOCTOR_DOCTOR_JUDGE_H

#include "model/doctor/doctor_predictor.h"

typedef struct Outcome {
    double error; /* the largest, in units of what is allowed; INFINITY: one is not a number */
    double difference, allowed;
    int target;
    DoctorPlace place;           /* of the largest difference */
    bool empty[EMPTY_ROW_KINDS]; /* which kinds of rows without keys occur */
    DoctorPlace empty_place;     /* the first such row */
    double squares;              /* sum of (difference/allowed)^2 */
    long compared, meaningless;  /* cells; those whose bound proves nothing */
    long dropped, kept;          /* by dropout */
    long sizable, above;         /* cells that are rounded noticeably; those rounded up */
    double difference_squares[3], predicted_squares[3]; /* sums, of each target */
} Outcome;

/* Compares a unit and adds it to the outcome; returns its largest error. */
double judge_unit(Predictor *predictor, Unit unit, Outcome *outcome);

/* Compares all units, until one has an error above `stop`. errors [units] may be NULL. */
void judge_all(Predictor *predictor, Outcome *outcome, double stop, double *errors);

/* True if for most of the compared cells a wrong number would have shown. */
bool outcome_is_conclusive(const Outcome *outcome);

#endif
