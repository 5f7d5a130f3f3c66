/* Searches for the simplest hypothesis that explains a segment of a call. */
#ifndef HEADSCOPE_MODEL_DOCTOR_DOCTOR_SEARCH_H
#define HEADSCOPE_MODEL_DOCTOR_DOCTOR_SEARCH_H

#include "model/doctor/doctor_hypotheses.h"

/* Fills in the finding; *best is the hypothesis that explains it, or {0} if the right formula or
 * nothing does. Returns false if out of memory. */
bool search_segment(StageFinding *finding, Hypothesis *best, PreparedDump *prepared,
                    const Segment *segment, Diagnosis *diagnosis);

#endif
