#include "tests/session/helper_pass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

HelperRun helper_run(HelperModel wish, const char *input) {
    HelperRun run = {.model = helper_model(wish)};
    assert_true(state_make(&run.state, &run.model.config, input));
    return run;
}

void helper_pass(HelperRun *run) {
    Error error = {0};
    PassRequest request = {.model = &run->model,
                           .params = &run->model.params,
                           .state = &run->state,
                           .head_means = run->means};
    pass_free(&run->pass);
    if (!pass_make(&run->pass, &request, &error)) fail_msg("%s", error.text);
}

void helper_run_free(HelperRun *run) {
    pass_free(&run->pass);
    state_free(&run->state);
    model_free(&run->model);
}

Batch helper_batch_of(const Config *config, const int *source, int source_len, const int *target,
                      int target_len) {
    Batch batch = {0};
    Error error = {0};
    if (!batch_reserve(&batch, 1, source_len, target_len, &error)) fail_msg("%s", error.text);
    memcpy(batch.source, source, (size_t)source_len * sizeof *source);
    for (int t = 0; t < target_len; t++) {
        batch.target_out[t] = target[t];
        batch.target_in[t] = t ? target[t - 1] : config->start_id;
    }
    batch.enc_valid_lens[0] = source_len;
    batch.dec_valid_lens[0] = target_len;
    return batch;
}

Trace *helper_trace(Workspace *workspace, const HelperRun *run, const Batch *batch,
                    ForwardOptions options) {
    Error error = {0};
    if (!workspace_fit(workspace, &run->model.config, batch->size, batch->source_len,
                       batch->target_len, false, &error))
        fail_msg("%s", error.text);
    transformer_forward(workspace, &run->model.params, batch, options);
    Trace *trace =
        transformer_trace(workspace, batch, 0, batch->source_len, batch->target_len, &error);
    assert_non_null(trace);
    return trace;
}

static double map_gap(const Trace *a, const Trace *b, HeadId id, int rows, int columns) {
    double most = 0;
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++) {
            CellState first, second;
            double gap = fabs((double)trace_cell(a, id, row, column, &first) -
                              (double)trace_cell(b, id, row, column, &second));
            assert_int_equal(first, second);
            most = fmax(most, gap);
        }
    return most;
}

double helper_trace_gap(const Trace *a, const Trace *b, Site site, int rows, int columns) {
    TraceShape shape = trace_shape(a, site), other = trace_shape(b, site);
    assert_int_equal(shape.layers, other.layers);
    assert_int_equal(shape.heads, other.heads);
    if (rows < 0) assert_int_equal(shape.queries, other.queries);
    if (columns < 0) assert_int_equal(shape.keys, other.keys);
    rows = rows < 0 ? shape.queries : rows;
    columns = columns < 0 ? shape.keys : columns;
    assert_true(rows <= shape.queries && rows <= other.queries);
    assert_true(columns <= shape.keys && columns <= other.keys);
    double most = 0;
    for (int layer = 0; layer < shape.layers; layer++)
        for (int head = 0; head < shape.heads; head++)
            most = fmax(most, map_gap(a, b, (HeadId){site, layer, head}, rows, columns));
    return most;
}

double helper_traces_gap(const Trace *a, const Trace *b) {
    double most = 0;
    for (int site = 0; site < SITE_COUNT; site++)
        most = fmax(most, helper_trace_gap(a, b, (Site)site, -1, -1));
    return most;
}
