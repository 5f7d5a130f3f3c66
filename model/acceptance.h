/* Our own block under the checks of model/analysis/acceptance.h: model/multihead.h on its fast
 * kernel. */
#ifndef HEADSCOPE_MODEL_ACCEPTANCE_H
#define HEADSCOPE_MODEL_ACCEPTANCE_H

#include "model/analysis/acceptance.h"

/* An AcceptanceRun; `context` is not read. The numbers are rounded to `real`. */
bool acceptance_fast(const void *context, AcceptanceAnswer *answer, const AcceptanceCall *call,
                     Error *error);

#endif
