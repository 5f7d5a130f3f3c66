/* From a workspace to a trace: padding that is shown, and how many first keys are alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/model/helper_network.h"

enum { EXAMPLES = 2, LAYERS = 2, HEADS = 2, WIDTH = 8, D = WIDTH / HEADS };
static const int SOURCE_LENS[EXAMPLES] = {3, 5};
static const int TARGET_LENS[EXAMPLES] = {4, 2};

typedef struct Net {
    Config config;
    Params params;
    Batch batch;
} Net;

/* Without positions, so that equal tokens are equal vectors. */
static void net_make(Net *net) {
    *net = (Net){.config = helper_config()};
    net->config.positions = POSITION_NONE;
    net->params = helper_params(&net->config, 11);
    net->batch = helper_batch(&net->config, EXAMPLES, SOURCE_LENS, TARGET_LENS, 11);
    for (int b = 0; b < EXAMPLES; b++)
        for (int t = 0; t < net->batch.source_len; t++) /* no two neighbours alike */
            net->batch.source[b * net->batch.source_len + t] = 3 + (b + t) % 4;
}

static void net_free(Net *net) {
    params_free(&net->params);
    batch_free(&net->batch);
}

static Trace *trace_of(const Net *net, int example, int sources, int targets) {
    Workspace ws = helper_forward(&net->config, &net->params, &net->batch);
    Trace *trace = transformer_trace(&ws, &net->batch, example, sources, targets, NULL);
    assert_non_null(trace);
    workspace_free(&ws);
    return trace;
}

/* The first two layers' heads of a site all have this many first keys alike. */
static void assert_alike(const Trace *trace, Site site, int keys) {
    for (int layer = 0; layer < LAYERS; layer++)
        for (int head = 0; head < HEADS; head++)
            assert_int_equal(trace_keys_alike(trace, (HeadId){site, layer, head}), keys);
}

/* Steps past the valid lengths are rows and masked columns. */
static void test_padding_is_shown(void **state) {
    (void)state;
    Net net;
    net_make(&net);
    Trace *cut = trace_of(&net, 0, 3, 4), *whole = trace_of(&net, 0, 5, 4);
    TraceShape shape = trace_shape(whole, SITE_CROSS);
    assert_int_equal(shape.queries, 4);
    assert_int_equal(shape.keys, 5);
    assert_int_equal(trace_shape(whole, SITE_ENCODER).queries, 5);
    HeadId id = {SITE_CROSS, 1, 1};
    for (int query = 0; query < 4; query++)
        for (int key = 0; key < 5; key++) {
            CellState cell;
            float weight = trace_cell(whole, id, query, key, &cell);
            assert_int_equal(cell, key < 3 ? CELL_VALUE : CELL_MASKED);
            assert_true(weight == (key < 3 ? trace_cell(cut, id, query, key, NULL) : 0));
        }
    trace_free(cut);
    trace_free(whole);
    trace_free(trace_of(&net, 1, 0, 0)); /* nothing is shown */
    net_free(&net);
}

static void test_other_keys_are_not_alike(void **state) {
    (void)state;
    Net net;
    net_make(&net);
    for (int b = 0; b < EXAMPLES; b++) {
        Trace *trace = trace_of(&net, b, SOURCE_LENS[b], TARGET_LENS[b]);
        assert_alike(trace, SITE_ENCODER, 1);
        assert_alike(trace, SITE_DECODER, 1);
        assert_alike(trace, SITE_CROSS, 1);
        trace_free(trace);
    }
    net_free(&net);
}

/* All source embeddings the same: every encoder key is, and so every cross key, in each layer. */
static void test_equal_embeddings(void **state) {
    (void)state;
    Net net;
    net_make(&net);
    for (int i = 0; i < net.config.source_vocab * WIDTH; i++)
        net.params.source_embedding[i] = net.params.source_embedding[i % WIDTH];
    for (int b = 0; b < EXAMPLES; b++) {
        Trace *trace = trace_of(&net, b, SOURCE_LENS[b], TARGET_LENS[b]);
        assert_alike(trace, SITE_ENCODER, SOURCE_LENS[b]);
        assert_alike(trace, SITE_CROSS, SOURCE_LENS[b]);
        assert_alike(trace, SITE_DECODER, 1);
        trace_free(trace);
    }
    net_free(&net);
}

/* The first three tokens of the second example alike, then another, then the first again: 3, or
 * fewer where fewer are shown. */
static void test_only_the_first_count(void **state) {
    (void)state;
    static const int tokens[5] = {4, 4, 4, 5, 4};
    Net net;
    net_make(&net);
    for (int t = 0; t < 5; t++)
        net.batch.source[net.batch.source_len + t] = tokens[t];
    Trace *all = trace_of(&net, 1, 5, 2), *two = trace_of(&net, 1, 2, 2);
    assert_alike(all, SITE_ENCODER, 3);
    assert_alike(all, SITE_CROSS, 3);
    assert_alike(two, SITE_ENCODER, 2);
    trace_free(all);
    trace_free(two);
    net_free(&net);
}

/* Each head has keys of its own: a head that projects every key to its bias has them all alike; a
 * difference within 1e-6 of the largest component is none, a larger one is. */
static void test_each_head_for_itself(void **state) {
    (void)state;
    Net net;
    net_make(&net);
    net.config.attention_bias = true;
    for (int site = 0; site < SITE_COUNT; site++) {
        LinearParams in = helper_attention_params(&net.params, (Site)site, 1).in;
        for (int row = WIDTH + D; row < 2 * WIDTH; row++) { /* the keys of head 1 */
            in.bias[row] = 1;
            for (int i = 0; i < WIDTH; i++)
                in.weight[row * WIDTH + i] = 0;
        }
    }
    Trace *trace = trace_of(&net, 1, 5, 2);
    for (int site = 0; site < SITE_COUNT; site++) {
        assert_int_equal(trace_keys_alike(trace, (HeadId){(Site)site, 1, 0}), 1);
        assert_int_equal(trace_keys_alike(trace, (HeadId){(Site)site, 1, 1}),
                         site == SITE_DECODER ? 2 : 5);
    }
    trace_free(trace);
    LinearParams in = helper_attention_params(&net.params, SITE_CROSS, 1).in;
    for (int shift = 0; shift < 2; shift++) {
        in.weight[(WIDTH + D) * WIDTH] = (real)(shift ? 1e-4 : 1e-7);
        trace = trace_of(&net, 1, 5, 2);
        assert_int_equal(trace_keys_alike(trace, (HeadId){SITE_CROSS, 1, 1}), shift ? 1 : 5);
        trace_free(trace);
    }
    net_free(&net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_padding_is_shown),
        cmocka_unit_test(test_other_keys_are_not_alike),
        cmocka_unit_test(test_equal_embeddings),
        cmocka_unit_test(test_only_the_first_count),
        cmocka_unit_test(test_each_head_for_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
