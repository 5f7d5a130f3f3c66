/* Which weights dropout took, told from a context. */
#ifndef HEADSCOPE_MODEL_DOCTOR_DOCTOR_DROPOUT_H
#define HEADSCOPE_MODEL_DOCTOR_DOCTOR_DROPOUT_H

#include "model/doctor/doctor_predictor.h"

/* Into ratios [Tk]: of what was mixed to each weight that the unit of a context was predicted with;
 * NaN where it cannot be told, which is where more keys than columns are seen. False: none can. */
bool dropout_ratios(Predictor *predictor, Unit unit, double *ratios);

/* Of a context that was predicted: what it is without the weights that dropout took, which are
 * counted (+=). False: not known. */
bool dropout_from_mix(Predictor *predictor, Unit unit, long *kept, long *dropped);

#endif
