/* Greedy decoding with forced beginnings and under options: step k is a forward pass over the first
 * k tokens, whether keys and values are cached or the prefix is run anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "model/decoding/decode.h"
#include "model/network/loss.h"
#include "tests/model/helper_network.h"

enum { EXAMPLES = 3 };
static const int SOURCE_LENS[EXAMPLES] = {5, 2, 0};

typedef struct Net {
    Config config;
    Params params;
    Batch sources;
    Workspace ws; /* the one that decodes */
    Ablation *ablation;
} Net;

static void net_make(Net *net, bool pre_norm) {
    static const int targets[EXAMPLES] = {1, 1, 1};
    *net = (Net){.config = helper_config()};
    net->config.max_target = 7;
    net->config.pre_norm = net->config.final_norm = net->config.attention_bias = pre_norm;
    net->params = helper_params(&net->config, 7);
    net->sources = helper_batch(&net->config, EXAMPLES, SOURCE_LENS, targets, 7);
    net->ablation = ablation_make(&net->config, NULL);
    Rng rng = rng_make(7, 1);
    helper_fill(ablation_mean(net->ablation, SITE_CROSS, 1), net->config.width, &rng);
    ablation_set(net->ablation, (HeadId){SITE_ENCODER, 1, 0}, KNOCKOUT_ZERO);
    ablation_set(net->ablation, (HeadId){SITE_DECODER, 0, 1}, KNOCKOUT_ZERO);
    ablation_set(net->ablation, (HeadId){SITE_CROSS, 1, 1}, KNOCKOUT_MEAN);
}

static void net_free(Net *net) {
    params_free(&net->params);
    batch_free(&net->sources);
    workspace_free(&net->ws);
    ablation_free(net->ablation);
}

static void decode(Net *net, Decoded *out, const ForcedTarget *forced, ForwardOptions options) {
    Error error = {0};
    if (!decode_forced(out, &net->ws, &net->config, &net->params, &net->sources, forced, options,
                       &error))
        fail_msg("%s", error.text);
}

/* --- each step against a forward pass --------------------------------------------------------- */

/* Log-probabilities [V] after the first `count` tokens of one target, by a pass over them alone. */
static void log_probs_after(const Net *net, real *log_probs, int example, const int *tokens,
                            int count, ForwardOptions options) {
    Batch prefix = {0};
    int steps = count + 1, source_len = net->sources.source_len;
    assert_true(batch_reserve(&prefix, 1, source_len, steps, NULL));
    memcpy(prefix.source, net->sources.source + example * source_len,
           (size_t)source_len * sizeof(int));
    prefix.enc_valid_lens[0] = SOURCE_LENS[example];
    prefix.dec_valid_lens[0] = steps;
    for (int t = 0; t < steps; t++)
        prefix.target_in[t] = t ? tokens[t - 1] : net->config.start_id;
    if (options.enc_valid_lens) options.enc_valid_lens += example;
    int seen = 0;
    if (options.dec_valid_lens) {
        seen = options.dec_valid_lens[example] < steps ? options.dec_valid_lens[example] : steps;
        options.dec_valid_lens = &seen;
    }
    Workspace ws = helper_forward_with(&net->config, &net->params, &prefix, options);
    int vocabulary = net->config.target_vocab;
    memcpy(log_probs, ws.logits + count * vocabulary, (size_t)vocabulary * sizeof(real));
    loss_log_softmax(log_probs, vocabulary);
    workspace_free(&ws);
    batch_free(&prefix);
}

/* Log-probabilities to within some tens of roundings of 6e-8, since products of another size sum
 * in another order. */
static const double NEAR = 1e-5;

static void check_target(const Net *net, const Decoded *decoded, int example, ForcedTarget forced,
                         ForwardOptions options) {
    real log_probs[16];
    double sum = 0;
    for (int k = 0; k < decoded->length; k++) {
        int token = decoded->tokens[k];
        log_probs_after(net, log_probs, example, decoded->tokens, k, options);
        assert_true(fabs(decoded->log_probs[k] - (double)log_probs[token]) < NEAR);
        if (k < forced.count) assert_int_equal(token, forced.tokens[k]);
        for (int other = 0; k >= forced.count && other < net->config.target_vocab; other++)
            assert_true((double)(log_probs[other] - log_probs[token]) < NEAR);
        assert_true(k == decoded->length - 1 || token != net->config.end_id);
        sum += decoded->log_probs[k];
    }
    bool ended = decoded->tokens[decoded->length - 1] == net->config.end_id;
    assert_true(ended || decoded->length == net->config.max_target);
    assert_true(fabs(decoded->score - sum / pow(decoded->length, 0.75)) < 1e-12);
}

static const int FORCED_LONG[7] = {3, 8, 4, 4, 5, 6, 7}, FORCED_SHORT[2] = {6, 5};
static const ForcedTarget FORCED[EXAMPLES] = {{FORCED_SHORT, 2}, {NULL, 0}, {FORCED_LONG, 7}};

static void check_options(ForwardOptions options, bool with_ablation) {
    static const ForcedTarget nothing = {0};
    for (int pre_norm = 0; pre_norm < 2; pre_norm++) {
        Net net;
        net_make(&net, pre_norm);
        if (with_ablation) options.ablation = net.ablation;
        for (int forcing = 0; forcing < 2; forcing++) {
            Decoded out[EXAMPLES];
            decode(&net, out, forcing ? FORCED : NULL, options);
            for (int b = 0; b < EXAMPLES; b++)
                check_target(&net, &out[b], b, forcing ? FORCED[b] : nothing, options);
            decoded_free(out, EXAMPLES);
        }
        net_free(&net);
    }
}

static void test_steps_are_passes_over_the_prefix(void **state) {
    (void)state;
    static const int sources[EXAMPLES] = {3, 5, 0}, targets[EXAMPLES] = {2, 0, 7};
    check_options((ForwardOptions){0}, false);
    check_options((ForwardOptions){0}, true);
    check_options((ForwardOptions){.enc_valid_lens = sources}, false);
    check_options((ForwardOptions){.dec_valid_lens = targets}, false);
    check_options((ForwardOptions){.not_causal = true}, false);
    check_options(
        (ForwardOptions){.enc_valid_lens = sources, .dec_valid_lens = targets, .not_causal = true},
        true);
}

/* --- one way against another ------------------------------------------------------------------ */

static void assert_same(const Decoded *a, const Decoded *b) {
    for (int i = 0; i < EXAMPLES; i++) {
        assert_int_equal(a[i].length, b[i].length);
        assert_memory_equal(a[i].tokens, b[i].tokens, (size_t)a[i].length * sizeof(int));
        for (int t = 0; t < a[i].length; t++)
            assert_true(fabs(a[i].log_probs[t] - b[i].log_probs[t]) < NEAR);
    }
}

/* Nothing forced, nothing forced by empty targets, and what came out forced: all the same. */
static void test_forced_with_nothing_is_greedy(void **state) {
    (void)state;
    Net net;
    net_make(&net, false);
    Decoded greedy[EXAMPLES], other[EXAMPLES];
    assert_true(decode_greedy(greedy, &net.ws, &net.config, &net.params, &net.sources, NULL));
    ForcedTarget forced[EXAMPLES] = {{0}};
    decode(&net, other, forced, (ForwardOptions){0});
    assert_same(greedy, other);
    decoded_free(other, EXAMPLES);
    for (int b = 0; b < EXAMPLES; b++)
        forced[b] = (ForcedTarget){greedy[b].tokens, greedy[b].length};
    decode(&net, other, forced, (ForwardOptions){0});
    assert_same(greedy, other);
    decoded_free(other, EXAMPLES);
    decoded_free(greedy, EXAMPLES);
    net_free(&net);
}

/* Lengths too large to matter turn the cache off, and change nothing. */
static void test_cached_or_anew(void **state) {
    (void)state;
    static const int all[EXAMPLES] = {7, 7, 7};
    Net net;
    net_make(&net, true);
    ForwardOptions cached = {.ablation = net.ablation}, anew = cached;
    anew.dec_valid_lens = all;
    assert_true(decoder_can_cache(&net.config, cached));
    assert_false(decoder_can_cache(&net.config, anew));
    assert_false(decoder_can_cache(&net.config, (ForwardOptions){.not_causal = true}));
    Decoded a[EXAMPLES], b[EXAMPLES];
    decode(&net, a, FORCED, cached);
    decode(&net, b, FORCED, anew);
    assert_same(a, b);
    decoded_free(a, EXAMPLES);
    decoded_free(b, EXAMPLES);
    net_free(&net);
}

/* A forced </s> ends its target and no other. */
static void test_forced_end(void **state) {
    (void)state;
    Net net;
    net_make(&net, false);
    const int at_once[3] = {net.config.end_id, 3, 4}, later[3] = {5, net.config.end_id, 3};
    const ForcedTarget forced[EXAMPLES] = {{at_once, 3}, {later, 3}, {FORCED_LONG, 7}};
    Decoded out[EXAMPLES];
    decode(&net, out, forced, (ForwardOptions){0});
    assert_int_equal(out[0].length, 1);
    assert_int_equal(out[1].length, 2);
    assert_int_equal(out[2].length, 7);
    for (int b = 0; b < EXAMPLES; b++)
        assert_memory_equal(out[b].tokens, forced[b].tokens, (size_t)out[b].length * sizeof(int));
    decoded_free(out, EXAMPLES);
    net_free(&net);
}

static void test_bad_forced_targets(void **state) {
    (void)state;
    static const int below[2] = {3, -1}, above[1] = {9}, many[8] = {3, 3, 3, 3, 3, 3, 3, 3};
    static const struct {
        ForcedTarget forced;
        const char *text;
    } bad[] = {
        {{below, 2}, "forced token -1; the target vocabulary has 0 to 8"},
        {{above, 1}, "forced token 9; the target vocabulary has 0 to 8"},
        {{many, 8}, "a forced target of 8 tokens; this model writes at most 7"},
    };
    Net net;
    net_make(&net, false);
    for (int i = 0; i < 3; i++) {
        ForcedTarget forced[EXAMPLES] = {[EXAMPLES - 1] = bad[i].forced};
        Decoded out[EXAMPLES];
        Error error = {0};
        assert_false(decode_forced(out, &net.ws, &net.config, &net.params, &net.sources, forced,
                                   (ForwardOptions){0}, &error));
        assert_int_equal(error.kind, ERROR_USAGE);
        assert_string_equal(error.text, bad[i].text);
        assert_null(out[0].tokens);
    }
    net_free(&net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_are_passes_over_the_prefix),
        cmocka_unit_test(test_forced_with_nothing_is_greedy),
        cmocka_unit_test(test_cached_or_anew),
        cmocka_unit_test(test_forced_end),
        cmocka_unit_test(test_bad_forced_targets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
