/* Maps with the names of their tokens, as pictures take them: of a pass of a model, or of a file
 * that another program wrote. */
#ifndef HEADSCOPE_APP_PASS_LABELLED_TRACE_H
#define HEADSCOPE_APP_PASS_LABELLED_TRACE_H

#include "app/pass/pass.h"
#include "data/attention/attention_file.h"

/* All is borrowed. */
typedef struct LabelledTrace {
    const char *input, *output; /* texts; of a file its name and "" */
    const Trace *trace;
    const char *const *source; /* the encoder's tokens */
    const char *const *reads;  /* what the decoder reads: <s> first */
    const char *const *writes; /* what it writes: </s> last; NULL: a file does not say */
    SceneAxes axes[SITE_COUNT];
} LabelledTrace;

/* An example of a pass, which read `input`. */
LabelledTrace labelled_trace_of_pass(const Pass *pass, int example, const char *input);

/* A file's maps; `path` names it. The labels of steps lie in the pool. False for lack of memory. */
bool labelled_trace_of_file(LabelledTrace *labelled, Pool *pool, const AttentionFile *file,
                            const char *path, Error *error);

#endif
