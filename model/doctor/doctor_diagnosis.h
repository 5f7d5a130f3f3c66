/* The remarks and the evidence of a diagnosis. */
#ifndef HEADSCOPE_MODEL_DOCTOR_DOCTOR_DIAGNOSIS_H
#define HEADSCOPE_MODEL_DOCTOR_DOCTOR_DIAGNOSIS_H

#include "model/doctor/doctor_hypotheses.h"

/* Adds a remark, unless there is one of that mistake, or no room. */
void doctor_remark(Diagnosis *diagnosis, bool is_fault, MistakeId id, DoctorPlace place,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Gathers the matrices of a finding. best: the hypothesis that explains it, or NULL. Returns false
 * if out of memory. */
bool doctor_gather_evidence(DoctorEvidence *evidence, PreparedDump *prepared,
                            const Segment *segment, const StageFinding *finding,
                            const Hypothesis *best);

/* Gathers the weights alone: of the head of the first fault among the remarks, else of head 0. */
bool doctor_gather_weights(DoctorEvidence *evidence, const PreparedDump *prepared,
                           const Diagnosis *diagnosis);

#endif
