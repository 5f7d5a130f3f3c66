/* The simplest hypothesis that explains what stands between two points of a call. */
#ifndef HEADSCOPE_MODEL_DOCTOR_DOCTOR_SEARCH_H
#define HEADSCOPE_MODEL_DOCTOR_DOCTOR_SEARCH_H

#include "model/doctor/doctor_hypotheses.h"

/* Fills in the finding; *best is what explains it ({0}: the right formula, or nothing). False for
 * lack of memory. */
bool search_segment(StageFinding *finding, Hypothesis *best, PreparedDump *prepared,
                    const Segment *segment, Diagnosis *diagnosis);

#endif
