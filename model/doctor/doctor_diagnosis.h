/* What a diagnosis holds besides findings: remarks, and matrices to look at. */
#ifndef HEADSCOPE_MODEL_DOCTOR_DOCTOR_DIAGNOSIS_H
#define HEADSCOPE_MODEL_DOCTOR_DOCTOR_DIAGNOSIS_H

#include "model/doctor/doctor_hypotheses.h"

/* Adds a remark; nothing if there is no room. */
void doctor_remark(Diagnosis *diagnosis, bool is_fault, MistakeId id, DoctorPlace place,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The matrices of a finding. best NULL: nothing explains it. */
bool doctor_gather_evidence(DoctorEvidence *evidence, PreparedDump *prepared,
                            const Segment *segment, const StageFinding *finding,
                            const Hypothesis *best);

/* The weights of the first fault among the remarks, else of the first head, as they are. */
bool doctor_gather_weights(DoctorEvidence *evidence, const PreparedDump *prepared,
                           const Diagnosis *diagnosis);

#endif
