/* What the masks of the whole network promise: padding does not matter, the decoder does not see
 * ahead, cross-attention sees all of the source; and the trace of a pass. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "tests/model/helper_network.h"

/* A batch in which each example is padded on one side or on both. */
enum { EXAMPLES = 4 };
static const int SOURCE_LENS[EXAMPLES] = {6, 2, 0, 1};
static const int TARGET_LENS[EXAMPLES] = {3, 5, 2, 1};

typedef struct Net {
    Config config;
    Params params;
    Batch batch;
    Workspace ws;
} Net;

/* Post-norm without final norms, or pre-norm with them, after a pass over the batch. */
static Net net_make(bool pre_norm) {
    Net net = {.config = helper_config()};
    net.config.pre_norm = net.config.final_norm = net.config.attention_bias = pre_norm;
    net.params = helper_params(&net.config, 1);
    net.batch = helper_batch(&net.config, EXAMPLES, SOURCE_LENS, TARGET_LENS, 1);
    net.ws = helper_forward(&net.config, &net.params, &net.batch);
    net.ws.context.config = NULL; /* it moves as net is returned */
    return net;
}

static void net_free(Net *net) {
    params_free(&net->params);
    batch_free(&net->batch);
    workspace_free(&net->ws);
}

/* A second pass over the batch, which a test has changed. */
static Workspace again(const Net *net) {
    return helper_forward(&net->config, &net->params, &net->batch);
}

static const real *logits_at(const Workspace *ws, const Batch *batch, int example, int step) {
    int vocabulary = helper_config().target_vocab;
    return ws->logits + ((long)example * batch->target_len + step) * vocabulary;
}

static size_t row_bytes(const Net *net) {
    return (size_t)net->config.target_vocab * sizeof(real);
}

/* --- traces ----------------------------------------------------------------------------------- */

static Trace *trace_of(Net *net, const Workspace *ws, const Batch *batch, int example) {
    Error error = {0};
    Workspace with_config = *ws;
    with_config.context.config = &net->config;
    Trace *trace = transformer_trace(&with_config, batch, example, batch->enc_valid_lens[example],
                                     batch->dec_valid_lens[example], &error);
    if (!trace) fail_msg("%s", error.text);
    return trace;
}

static void assert_shape(TraceShape shape, int queries, int keys) {
    assert_int_equal(shape.layers, 2);
    assert_int_equal(shape.heads, 2);
    assert_int_equal(shape.queries, queries);
    assert_int_equal(shape.keys, keys);
}

/* The next map of a trace; start with {SITE_ENCODER, 0, -1}. */
static bool next_map(const Trace *trace, HeadId *id) {
    id->head++;
    while (id->site < SITE_COUNT) {
        TraceShape shape = trace_shape(trace, id->site);
        if (id->layer < shape.layers && id->head < shape.heads) return true;
        id->head = 0;
        if (++id->layer < shape.layers) continue;
        id->layer = 0;
        id->site = (Site)(id->site + 1);
    }
    return false;
}

static double largest_gap(const Trace *a, const Trace *b) {
    double max = 0;
    int maps = 0;
    for (HeadId id = {SITE_ENCODER, 0, -1}; next_map(a, &id); maps++) {
        TraceShape shape = trace_shape(a, id.site), other = trace_shape(b, id.site);
        assert_memory_equal(&shape, &other, sizeof shape);
        for (int query = 0; query < shape.queries; query++)
            for (int key = 0; key < shape.keys; key++) {
                CellState x, y;
                float gap = trace_cell(a, id, query, key, &x) - trace_cell(b, id, query, key, &y);
                assert_int_equal(x, y);
                max = fmax(max, fabs((double)gap));
            }
    }
    assert_int_equal(maps, 12);
    return max;
}

/* Each map is cut to the example; each row sums to 1 over what it sees, and sees what it should. */
static void test_trace(void **state) {
    (void)state;
    Net net = net_make(false);
    for (int example = 0; example < EXAMPLES; example++) {
        int sources = SOURCE_LENS[example], targets = TARGET_LENS[example];
        Trace *trace = trace_of(&net, &net.ws, &net.batch, example);
        assert_shape(trace_shape(trace, SITE_ENCODER), sources, sources);
        assert_shape(trace_shape(trace, SITE_DECODER), targets, targets);
        assert_shape(trace_shape(trace, SITE_CROSS), targets, sources);
        for (HeadId id = {SITE_ENCODER, 0, -1}; next_map(trace, &id);)
            for (int query = 0; query < trace_shape(trace, id.site).queries; query++) {
                int sees = id.site == SITE_DECODER ? query + 1 : sources;
                double sum = 0;
                assert_int_equal(trace_key_len(trace, id, query), sees);
                for (int key = 0; key < sees; key++)
                    sum += (double)trace_cell(trace, id, query, key, NULL);
                /* up to 6 weights, each rounded to 6e-8 of its size */
                assert_true(fabs(sum - (sees ? 1 : 0)) < 5e-7);
            }
        trace_free(trace);
    }
    net_free(&net);
}

/* --- padding ---------------------------------------------------------------------------------- */

/* An example alone gives what it gave among longer ones. Not to the bit: products of another size
 * sum in another order. Four blocks of norms and sums of 12: some tens of roundings of 6e-8 on
 * logits up to about 2. */
static void check_alone(Net *net, int example) {
    Batch alone = {0};
    Error error = {0};
    assert_true(batch_slice(&alone, &net->batch, &example, 1, &error));
    assert_int_equal(alone.source_len, SOURCE_LENS[example]);
    assert_int_equal(alone.target_len, TARGET_LENS[example]);
    Workspace ws = helper_forward(&net->config, &net->params, &alone);
    for (int step = 0; step < alone.target_len; step++)
        assert_true(helper_gap(logits_at(&ws, &alone, 0, step),
                               logits_at(&net->ws, &net->batch, example, step),
                               net->config.target_vocab) < 1e-5);
    Trace *one = trace_of(net, &ws, &alone, 0);
    Trace *among = trace_of(net, &net->ws, &net->batch, example);
    assert_true(largest_gap(one, among) < 1e-5);
    trace_free(one);
    trace_free(among);
    workspace_free(&ws);
    batch_free(&alone);
}

static void test_alone_or_among_longer_ones(void **state) {
    (void)state;
    for (int pre_norm = 0; pre_norm < 2; pre_norm++) {
        Net net = net_make(pre_norm);
        for (int example = 0; example < EXAMPLES; example++)
            check_alone(&net, example);
        net_free(&net);
    }
}

/* What stands in the padding is not read: the same to the bit. */
static void test_pad_ids_do_not_matter(void **state) {
    (void)state;
    Net net = net_make(false);
    Batch *batch = &net.batch;
    for (int b = 0; b < EXAMPLES; b++) {
        for (int t = SOURCE_LENS[b]; t < batch->source_len; t++)
            batch->source[b * batch->source_len + t] = 3 + t % 4;
        for (int t = TARGET_LENS[b]; t < batch->target_len; t++)
            batch->target_in[b * batch->target_len + t] = 3 + t % 6;
    }
    Workspace ws = again(&net);
    for (int b = 0; b < EXAMPLES; b++)
        for (int step = 0; step < TARGET_LENS[b]; step++)
            assert_memory_equal(logits_at(&ws, batch, b, step), logits_at(&net.ws, batch, b, step),
                                row_bytes(&net));
    workspace_free(&ws);
    net_free(&net);
}

/* A source of length 0: the decoder goes on from its own words, and nothing is NaN, in a batch with
 * others and in one where no source has a token. */
static void test_empty_source(void **state) {
    (void)state;
    static const int none[2] = {0, 0}, targets[2] = {3, 2};
    Net net = net_make(true);
    long count = (long)EXAMPLES * net.batch.target_len * net.config.target_vocab;
    assert_true(helper_gap(net.ws.logits, net.ws.logits, count) == 0);
    Batch empty = helper_batch(&net.config, 2, none, targets, 1);
    Workspace ws = helper_forward(&net.config, &net.params, &empty);
    assert_true(helper_gap(ws.logits, ws.logits, 2L * 3 * net.config.target_vocab) == 0);
    workspace_free(&ws);
    batch_free(&empty);
    net_free(&net);
}

/* --- who sees whom ---------------------------------------------------------------------------- */

static bool same_logits(const Net *net, const Workspace *ws, int example, int step) {
    return memcmp(logits_at(ws, &net->batch, example, step),
                  logits_at(&net->ws, &net->batch, example, step), row_bytes(net)) == 0;
}

/* Another token at step 2 leaves steps 0 and 1 as they were, to the bit, and changes all from 2 on,
 * in its example alone. */
static void test_decoder_does_not_see_ahead(void **state) {
    (void)state;
    Net net = net_make(false);
    int *token = net.batch.target_in + 1 * net.batch.target_len + 2;
    *token = *token == 3 ? 4 : 3;
    Workspace ws = again(&net);
    for (int b = 0; b < EXAMPLES; b++)
        for (int step = 0; step < TARGET_LENS[b]; step++)
            assert_int_equal(same_logits(&net, &ws, b, step), b != 1 || step < 2);
    workspace_free(&ws);
    net_free(&net);
}

/* The last source token reaches every target step, the first too, and every source step before. */
static void test_cross_attention_is_not_causal(void **state) {
    (void)state;
    Net net = net_make(false);
    int *token = net.batch.source + 0 * net.batch.source_len + SOURCE_LENS[0] - 1;
    *token = *token == 3 ? 4 : 3;
    Workspace ws = again(&net);
    for (int step = 0; step < TARGET_LENS[0]; step++)
        assert_false(same_logits(&net, &ws, 0, step));
    for (int step = 0; step < TARGET_LENS[1]; step++)
        assert_true(same_logits(&net, &ws, 1, step));
    assert_memory_not_equal(ws.encoded, net.ws.encoded, sizeof(real) * 8);
    Trace *trace = trace_of(&net, &ws, &net.batch, 0);
    for (int layer = 0; layer < 2; layer++)
        for (int head = 0; head < 2; head++)
            assert_true(trace_cell(trace, (HeadId){SITE_CROSS, layer, head}, 0, SOURCE_LENS[0] - 1,
                                   NULL) > 0);
    trace_free(trace);
    workspace_free(&ws);
    net_free(&net);
}

/* --- workspace -------------------------------------------------------------------------------- */

/* One workspace for batches of other shapes, larger and smaller, training or not: what an earlier
 * pass left does not show. */
static void test_workspace_is_reused(void **state) {
    (void)state;
    static const int long_source[1] = {12}, long_target[1] = {11};
    Net net = net_make(true);
    Batch other = helper_batch(&net.config, 1, long_source, long_target, 2);
    Workspace ws = {0};
    Error error = {0};
    for (int training = 0; training < 2; training++) {
        assert_true(workspace_fit(&ws, &net.config, 1, 12, 11, training, &error));
        transformer_forward(&ws, &net.params, &other, (ForwardOptions){0});
        assert_true(workspace_fit(&ws, &net.config, EXAMPLES, net.batch.source_len,
                                  net.batch.target_len, training, &error));
        transformer_forward(&ws, &net.params, &net.batch, (ForwardOptions){0});
        for (int b = 0; b < EXAMPLES; b++)
            for (int step = 0; step < TARGET_LENS[b]; step++)
                assert_true(same_logits(&net, &ws, b, step));
    }
    assert_true(workspace_bytes(&net.config, 1, 12, 11, true) >
                workspace_bytes(&net.config, 1, 12, 11, false));
    workspace_free(&ws);
    batch_free(&other);
    net_free(&net);
}

/* Dropout is a function of its key. */
static void test_dropout_key(void **state) {
    (void)state;
    Net net = net_make(false);
    Workspace ws = again(&net);
    ForwardOptions options = {.dropout = 0.2, .dropout_key = 5};
    long count = (long)EXAMPLES * net.batch.target_len * net.config.target_vocab;
    real *first = malloc((size_t)count * sizeof *first);
    transformer_forward(&ws, &net.params, &net.batch, options);
    memcpy(first, ws.logits, (size_t)count * sizeof *first);
    assert_memory_not_equal(first, net.ws.logits, (size_t)count * sizeof *first);
    transformer_forward(&ws, &net.params, &net.batch, options);
    assert_memory_equal(first, ws.logits, (size_t)count * sizeof *first);
    options.dropout_key = 6;
    transformer_forward(&ws, &net.params, &net.batch, options);
    assert_memory_not_equal(first, ws.logits, (size_t)count * sizeof *first);
    free(first);
    workspace_free(&ws);
    net_free(&net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace),
        cmocka_unit_test(test_alone_or_among_longer_ones),
        cmocka_unit_test(test_pad_ids_do_not_matter),
        cmocka_unit_test(test_empty_source),
        cmocka_unit_test(test_decoder_does_not_see_ahead),
        cmocka_unit_test(test_cross_attention_is_not_causal),
        cmocka_unit_test(test_workspace_is_reused),
        cmocka_unit_test(test_dropout_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
