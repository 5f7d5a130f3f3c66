/* What weights tell without a formula to compare them with. */
#ifndef HEADSCOPE_MODEL_DOCTOR_DOCTOR_WEIGHTS_H
#define HEADSCOPE_MODEL_DOCTOR_DOCTOR_WEIGHTS_H

#include "model/doctor/doctor_patient.h"

/* Adds a remark for each sign. False for lack of memory. */
bool doctor_look_at_weights(Diagnosis *diagnosis, Patient *patient);

#endif
