/* A state run through a tiny model, and traces laid side by side. A failure ends the test. */
#ifndef TESTS_SESSION_HELPER_PASS_H
#define TESTS_SESSION_HELPER_PASS_H

#include "app/pass/pass.h"
#include "tests/session/helper_session.h"

typedef struct HelperRun {
    Model model;
    State state;
    Pass pass;
    const AblationMeans *means; /* for the wish; NULL: none */
} HelperRun;

HelperRun helper_run(HelperModel wish, const char *input);
void helper_pass(HelperRun *run); /* anew, from the state as it is */
void helper_run_free(HelperRun *run);

/* A batch of one example from token ids, teacher forced: reads <s> and all but the last target. */
Batch helper_batch_of(const Config *config, const int *source, int source_len, const int *target,
                      int target_len);

/* The maps of its forward pass, all steps; logits stay in the workspace. */
Trace *helper_trace(Workspace *workspace, const HelperRun *run, const Batch *batch,
                    ForwardOptions options);

/* The largest difference of a weight in the first `rows` rows and `columns` columns of all heads of
 * a site (-1: all there are, and then both have the same size). A cell that is masked in one of
 * them alone is a failure. */
double helper_trace_gap(const Trace *a, const Trace *b, Site site, int rows, int columns);

/* The same over whole maps of all sites. */
double helper_traces_gap(const Trace *a, const Trace *b);

#endif
