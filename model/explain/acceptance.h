/* Runs our own multi-head attention (model/network/multihead.h) under the checks of
 * model/doctor/acceptance.h: on the fast kernel and on the plain one. The numbers of a call are
 * rounded to `real`. */
#ifndef HEADSCOPE_MODEL_EXPLAIN_ACCEPTANCE_H
#define HEADSCOPE_MODEL_EXPLAIN_ACCEPTANCE_H

#include "model/doctor/acceptance.h"

/* An AcceptanceRun; ignores `context`. */
bool acceptance_fast(const void *context, AcceptanceAnswer *answer, const AcceptanceCall *call,
                     Error *error);

/* The same on the plain kernel; `context` is the AttentionMistakes to make, NULL for none. */
bool acceptance_by_rule(const void *context, AcceptanceAnswer *answer, const AcceptanceCall *call,
                        Error *error);

#endif
