/* Checks weights on their own, without recomputing them: row sums, NaN, masks, identical heads. */
#ifndef HEADSCOPE_MODEL_DOCTOR_DOCTOR_WEIGHTS_H
#define HEADSCOPE_MODEL_DOCTOR_DOCTOR_WEIGHTS_H

#include "model/doctor/prepared_dump.h"

/* Adds a remark for each sign of a mistake. Returns false if out of memory. */
bool doctor_check_weights(Diagnosis *diagnosis, PreparedDump *prepared);

#endif
