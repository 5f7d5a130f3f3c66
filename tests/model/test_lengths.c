/* Lengths put in place of the batch's, and causality switched off: the masks change, nothing else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "tests/model/helper_network.h"

enum { EXAMPLES = 3, WIDTH = 8 };
static const int SOURCE_LENS[EXAMPLES] = {6, 6, 4};
static const int TARGET_LENS[EXAMPLES] = {5, 5, 3};

typedef struct Net {
    Config config;
    Params params;
    Batch batch;
    Workspace plain; /* after a pass of the real model */
} Net;

static void net_make(Net *net, bool pre_norm) {
    *net = (Net){.config = helper_config()};
    net->config.pre_norm = net->config.final_norm = net->config.attention_bias = pre_norm;
    net->params = helper_params(&net->config, 5);
    net->batch = helper_batch(&net->config, EXAMPLES, SOURCE_LENS, TARGET_LENS, 5);
    net->plain = helper_forward(&net->config, &net->params, &net->batch);
}

static void net_free(Net *net) {
    params_free(&net->params);
    batch_free(&net->batch);
    workspace_free(&net->plain);
}

static Workspace forward(const Net *net, ForwardOptions options) {
    return helper_forward_with(&net->config, &net->params, &net->batch, options);
}

static const real *logits_at(const Net *net, const Workspace *ws, int b, int step) {
    return ws->logits + ((long)b * ws->context.target_len + step) * net->config.target_vocab;
}

static bool same_logits(const Net *net, const Workspace *a, const Workspace *b, int example,
                        int step) {
    return memcmp(logits_at(net, a, example, step), logits_at(net, b, example, step),
                  (size_t)net->config.target_vocab * sizeof(real)) == 0;
}

static bool all_finite(const Net *net, const Workspace *ws) {
    long count = (long)EXAMPLES * ws->context.target_len * net->config.target_vocab;
    return helper_gap(ws->logits, ws->logits, count) == 0;
}

/* The first steps of one example, as a batch of its own. */
static Batch cut(const Net *net, int example, int sources, int targets) {
    Batch alone = {0};
    const Batch *from = &net->batch;
    assert_true(batch_reserve(&alone, 1, sources, targets, NULL));
    memcpy(alone.source, from->source + example * from->source_len, (size_t)sources * sizeof(int));
    memcpy(alone.target_in, from->target_in + example * from->target_len,
           (size_t)targets * sizeof(int));
    alone.enc_valid_lens[0] = sources;
    alone.dec_valid_lens[0] = targets;
    return alone;
}

/* Under overridden lengths, each example gives what it gives cut to them: the encoder's outputs and
 * the logits, at the steps within. Products of another size sum in another order: some tens of
 * roundings of 6e-8 on numbers up to about 2. */
static void check_cut(bool pre_norm, const int *sources, const int *targets) {
    Net net;
    net_make(&net, pre_norm);
    Workspace ws =
        forward(&net, (ForwardOptions){.enc_valid_lens = sources, .dec_valid_lens = targets});
    for (int b = 0; b < EXAMPLES; b++) {
        int source_len = sources ? sources[b] : SOURCE_LENS[b];
        int target_len = targets ? targets[b] : TARGET_LENS[b];
        Batch alone = cut(&net, b, source_len, target_len);
        Workspace wanted = helper_forward(&net.config, &net.params, &alone);
        assert_true(helper_gap(ws.encoded + b * net.batch.source_len * WIDTH, wanted.encoded,
                               source_len * WIDTH) < 1e-5);
        assert_true(helper_gap(logits_at(&net, &ws, b, 0), wanted.logits,
                               target_len * net.config.target_vocab) < 1e-5);
        workspace_free(&wanted);
        batch_free(&alone);
    }
    assert_memory_equal(net.batch.enc_valid_lens, SOURCE_LENS, sizeof SOURCE_LENS);
    assert_memory_equal(net.batch.dec_valid_lens, TARGET_LENS, sizeof TARGET_LENS);
    workspace_free(&ws);
    net_free(&net);
}

/* Shorter and longer than the batch's own (then padding is read), one and none. */
static void test_a_length_cuts_the_sequence(void **state) {
    (void)state;
    static const int sources[EXAMPLES] = {4, 1, 6}, targets[EXAMPLES] = {2, 5, 4};
    static const int some[EXAMPLES] = {0, 6, 0}, few[EXAMPLES] = {1, 1, 5};
    for (int pre_norm = 0; pre_norm < 2; pre_norm++) {
        check_cut(pre_norm, sources, NULL);
        check_cut(pre_norm, NULL, targets);
        check_cut(pre_norm, sources, targets);
        check_cut(pre_norm, some, few);
    }
}

/* The batch's own lengths, said again: the same to the bit. */
static void test_the_same_lengths(void **state) {
    (void)state;
    Net net;
    net_make(&net, true);
    Workspace ws = forward(
        &net, (ForwardOptions){.enc_valid_lens = SOURCE_LENS, .dec_valid_lens = TARGET_LENS});
    for (int b = 0; b < EXAMPLES; b++)
        for (int step = 0; step < TARGET_LENS[b]; step++)
            assert_true(same_logits(&net, &ws, &net.plain, b, step));
    workspace_free(&ws);
    net_free(&net);
}

/* Whether any weight of a layer's maps is not 0. */
static bool has_weights(const Net *net, MultiheadSaved saved, int queries, int keys) {
    long count = (long)EXAMPLES * net->config.heads * queries * attention_row(keys);
    return helper_largest(saved.weights, count) > 0;
}

/* No key to see: weights and outputs are 0, and nothing is NaN. */
static void test_lengths_of_zero(void **state) {
    (void)state;
    static const int none[EXAMPLES] = {0};
    Net net;
    net_make(&net, true);
    int sources = net.batch.source_len, targets = net.batch.target_len;
    for (int not_causal = 0; not_causal < 2; not_causal++) {
        Workspace ws = forward(&net, (ForwardOptions){.enc_valid_lens = none,
                                                      .dec_valid_lens = none,
                                                      .not_causal = not_causal});
        assert_true(all_finite(&net, &ws));
        for (int layer = 0; layer < 2; layer++) {
            assert_false(has_weights(&net, ws.encoder[layer].self_attention, sources, sources));
            assert_false(has_weights(&net, ws.decoder[layer].self_attention, targets, targets));
            assert_false(has_weights(&net, ws.decoder[layer].cross_attention, targets, sources));
            assert_true(helper_largest(ws.decoder[layer].self_attention.context,
                                       EXAMPLES * targets * WIDTH) == 0);
        }
        workspace_free(&ws);
    }
    net_free(&net);
}

/* With causality off every step sees all of the target's keys, and so the last token reaches the
 * first step; the last step of the first layer sees what it saw. */
static void test_not_causal(void **state) {
    (void)state;
    ForwardOptions options = {.not_causal = true};
    Net net;
    net_make(&net, false);
    int targets = net.batch.target_len, row = attention_row(targets);
    Workspace before = forward(&net, options);
    for (int b = 0; b < EXAMPLES; b++)
        for (int h = 0; h < net.config.heads; h++)
            for (int t = 0; t < targets; t++) {
                const real *weights = before.decoder[1].self_attention.weights +
                                      ((b * net.config.heads + h) * targets + t) * row;
                for (int key = 0; key < targets; key++)
                    assert_int_equal(weights[key] > 0, key < TARGET_LENS[b]);
            }
    for (int b = 0; b < EXAMPLES; b++) {
        int last = b * targets + TARGET_LENS[b] - 1;
        assert_memory_equal(before.decoder[0].self_attention.context + last * WIDTH,
                            net.plain.decoder[0].self_attention.context + last * WIDTH,
                            WIDTH * sizeof(real));
        assert_false(same_logits(&net, &before, &net.plain, b, 0));
    }
    int *token = net.batch.target_in + TARGET_LENS[0] - 1;
    *token = *token == 3 ? 4 : 3;
    Workspace after = forward(&net, options);
    for (int step = 0; step < TARGET_LENS[0]; step++)
        assert_false(same_logits(&net, &after, &before, 0, step));
    for (int step = 0; step < TARGET_LENS[1]; step++)
        assert_true(same_logits(&net, &after, &before, 1, step));
    workspace_free(&before);
    workspace_free(&after);
    net_free(&net);
}

/* With causality off an overridden length says which keys are seen, by steps past it as well. */
static void test_not_causal_within_a_length(void **state) {
    (void)state;
    static const int lens[EXAMPLES] = {2, 5, 0};
    Net net;
    net_make(&net, false);
    int targets = net.batch.target_len;
    Workspace ws = forward(&net, (ForwardOptions){.dec_valid_lens = lens, .not_causal = true});
    for (int b = 0; b < EXAMPLES; b++)
        for (int i = 0; i < net.config.heads * targets; i++)
            assert_int_equal(ws.context.key_len[SITE_DECODER][b * net.config.heads * targets + i],
                             lens[b]);
    assert_true(all_finite(&net, &ws));
    workspace_free(&ws);
    net_free(&net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_length_cuts_the_sequence),
        cmocka_unit_test(test_the_same_lengths),
        cmocka_unit_test(test_lengths_of_zero),
        cmocka_unit_test(test_not_causal),
        cmocka_unit_test(test_not_causal_within_a_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
