/* Estimates the parameters of a hypothesis from the dump. */
#ifndef HEADSCOPE_MODEL_DOCTOR_DOCTOR_ESTIMATE_H
#define HEADSCOPE_MODEL_DOCTOR_DOCTOR_ESTIMATE_H

#include "model/doctor/doctor_judge.h"

/* Estimates a leaking mask's value and dropout's factor, if the hypothesis has them. Returns false
 * if the dump shows no trace of them. */
bool estimate_hypothesis(Predictor *predictor, Hypothesis *hypothesis, const Unit *sample,
                         int count);

#endif
