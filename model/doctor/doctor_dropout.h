/* Finds out from a context which weights dropout zeroed. */
#ifndef HEADSCOPE_MODEL_DOCTOR_DOCTOR_DROPOUT_H
#define HEADSCOPE_MODEL_DOCTOR_DOCTOR_DROPOUT_H

#include "model/doctor/doctor_predictor.h"

/* Writes ratios [Tk]: the weight that the dump's context was mixed with, divided by the weight that
 * the unit was predicted with; NaN if unknown. Returns false if all are unknown: the unit sees more
 * keys than a head has columns, or their values are linearly dependent. */
bool dropout_ratios(Predictor *predictor, Unit unit, double *ratios);

/* Replaces the predicted context by the mix without the weights that dropout zeroed; counts kept
 * and dropped weights (+=). Returns false if they are unknown. */
bool dropout_from_mix(Predictor *predictor, Unit unit, long *kept, long *dropped);

#endif
