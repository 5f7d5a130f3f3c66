/* What weights tell without a formula to compare them with. */
#ifndef HEADSCOPE_MODEL_DOCTOR_DOCTOR_WEIGHTS_H
#define HEADSCOPE_MODEL_DOCTOR_DOCTOR_WEIGHTS_H

#include "model/doctor/prepared_dump.h"

/* Adds a remark for each sign. False for lack of memory. */
bool doctor_check_weights(Diagnosis *diagnosis, PreparedDump *prepared);

#endif
