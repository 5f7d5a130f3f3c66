/* The numbers that a hypothesis leaves open. */
#ifndef HEADSCOPE_MODEL_DOCTOR_DOCTOR_ESTIMATE_H
#define HEADSCOPE_MODEL_DOCTOR_DOCTOR_ESTIMATE_H

#include "model/doctor/doctor_judge.h"

/* Fills in what a hypothesis leaves open (a leaking mask's value, dropout's factor) from the data.
 * False if the data have nothing of it. */
bool estimate_hypothesis(Predictor *predictor, Hypothesis *hypothesis, const Unit *sample,
                         int count);

#endif
