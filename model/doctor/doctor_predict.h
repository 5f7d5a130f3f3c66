/* What a hypothesis says that a dump should hold, cell by cell. */
#ifndef HEADSCOPE_MODEL_DOCTOR_DOCTOR_PREDICT_H
#define HEADSCOPE_MODEL_DOCTOR_DOCTOR_PREDICT_H

#include "model/doctor/doctor_predictor.h"

/* The cells of a unit, what they should be, and how far they may be from it. */
void predict_unit(Predictor *predictor, Unit unit);

/* How many units a target has, and the one at an index. */
long predictor_units(const Predictor *predictor, int target);
Unit predictor_unit(const Predictor *predictor, int target, long index);

/* The scores of a row [Tk] before any mask, and the keys it sees. */
void predict_scores(Predictor *predictor, Unit unit, double *scores, int *first, int *end);

#endif
