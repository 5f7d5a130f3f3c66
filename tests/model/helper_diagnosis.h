/* What the doctor says of a made dump, for tests: examined, printed, and searched for a name. */
#ifndef HEADSCOPE_TESTS_MODEL_HELPER_DIAGNOSIS_H
#define HEADSCOPE_TESTS_MODEL_HELPER_DIAGNOSIS_H

#include "tests/model/helper_dump.h"

/* Fails the test if the dump cannot be examined. */
Diagnosis helper_examine(const MadeDump *made);
void helper_print_diagnosis(const Diagnosis *diagnosis, const MadeDump *made);

/* Whether a kind is named, or said to be the same: by one stage, by any. */
bool helper_stage_names(const StageFinding *finding, const char *name);
bool helper_names(const Diagnosis *diagnosis, const char *name);

#endif
