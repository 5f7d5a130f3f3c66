/* A state run through a model is what the engine gives: targets, maps, figures of each step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/tasks/examples.h"
#include "tests/session/helper_pass.h"

/* Float; products of other shapes, and cached ones, sum in another order. */
#define NEAR 1e-5

static const Trace *shown(const HelperRun *run, int example) {
    return run->pass.world.examples[example].trace;
}

static void set_target(HelperRun *run, int example, const char *target, bool whole) {
    assert_true(state_set_text(&run->state.examples[example].target, target));
    run->state.examples[example].whole = whole;
}

/* The ids of a text, with the end mark if there is room. */
static int ids_of(const Vocab *vocab, const char *text, int *ids, int most, const Config *config) {
    int count = vocab_encode(vocab, text, ids, most, NULL);
    assert_true(count >= 0);
    if (count < most) ids[count++] = config->end_id;
    return count;
}

/* --- the target ------------------------------------------------------------------------------- */

static Decoded decoded_by_engine(const HelperRun *run, const ForcedTarget *forced) {
    Batch sources = {0};
    Workspace workspace = {0};
    Decoded decoded = {0};
    Error error = {0};
    const Config *config = &run->model.config;
    const char *input = run->state.examples[0].input;
    if (!sources_to_batch(&sources, &input, 1, config, &run->model.source_vocab, &error) ||
        !decode_forced(&decoded, &workspace, config, &run->model.params, &sources, forced,
                       (ForwardOptions){0}, &error))
        fail_msg("%s", error.text);
    workspace_free(&workspace);
    batch_free(&sources);
    return decoded;
}

static void assert_target(const HelperRun *run, const Decoded *wanted) {
    const PassExample *example = &run->pass.examples[0];
    assert_int_equal(example->target_count, wanted->length);
    assert_memory_equal(example->target.tokens, wanted->tokens,
                        (size_t)wanted->length * sizeof *wanted->tokens);
    char *text = vocab_decode(&run->model.target_vocab, wanted->tokens, wanted->length);
    assert_string_equal(example->output, text);
    free(text);
}

static void test_target_is_greedy(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        HelperRun run = helper_run((HelperModel){.seed = seed}, "abcab");
        helper_pass(&run);
        Decoded wanted = decoded_by_engine(&run, NULL);
        assert_target(&run, &wanted);
        assert_int_equal(run.pass.examples[0].forced_count, 0);
        assert_int_equal(run.pass.target_len, wanted.length);
        assert_int_equal(run.pass.steps, wanted.length);
        decoded_free(&wanted, 1);
        helper_run_free(&run);
    }
}

static void test_target_begins_as_forced(void **state) {
    (void)state;
    HelperRun run = helper_run((HelperModel){0}, "abcab");
    int ids[3];
    assert_int_equal(vocab_encode(&run.model.target_vocab, "xyz", ids, 3, NULL), 3);
    set_target(&run, 0, "xyz", false);
    helper_pass(&run);
    Decoded wanted = decoded_by_engine(&run, &(ForcedTarget){ids, 3});
    assert_target(&run, &wanted);
    assert_int_equal(run.pass.examples[0].forced_count, 3);
    decoded_free(&wanted, 1);
    set_target(&run, 0, "", false); /* nothing is forced */
    helper_pass(&run);
    wanted = decoded_by_engine(&run, NULL);
    assert_target(&run, &wanted);
    decoded_free(&wanted, 1);
    helper_run_free(&run);
}

static void assert_whole(HelperRun *run, const char *text) {
    int ids[17];
    int count = ids_of(&run->model.target_vocab, text, ids, 17, &run->model.config);
    set_target(run, 0, text, true);
    helper_pass(run);
    const PassExample *example = &run->pass.examples[0];
    assert_int_equal(example->target_count, count);
    assert_int_equal(example->forced_count, count);
    assert_memory_equal(example->target.tokens, ids, (size_t)count * sizeof *ids);
    assert_string_equal(example->output, text);
}

static void test_whole_target(void **state) {
    (void)state;
    HelperRun run = helper_run((HelperModel){0}, "abcab");
    assert_whole(&run, "xyz");
    assert_whole(&run, "");
    assert_whole(&run, "abcdefghijklmnop");  /* with its end mark as long as can be */
    assert_whole(&run, "abcdefghijklmnopq"); /* no room for one */
    helper_run_free(&run);
}

/* --- the maps --------------------------------------------------------------------------------- */

static void test_maps_are_the_forward_pass(void **state) {
    (void)state;
    HelperRun run = helper_run((HelperModel){0}, "abcab");
    helper_pass(&run);
    int source[17];
    int count = ids_of(&run.model.source_vocab, "abcab", source, 17, &run.model.config);
    Decoded target = decoded_by_engine(&run, NULL);
    Batch batch = helper_batch_of(&run.model.config, source, count, target.tokens, target.length);
    Workspace workspace = {0};
    Trace *wanted = helper_trace(&workspace, &run, &batch, (ForwardOptions){0});
    assert_true(helper_traces_gap(shown(&run, 0), wanted) == 0); /* the very same products */
    assert_false(run.pass.changed);
    assert_int_equal(run.pass.plain.count, 0);
    assert_int_equal(run.pass.world.examples[0].decoded.length, 0);
    trace_free(wanted);
    workspace_free(&workspace);
    batch_free(&batch);
    decoded_free(&target, 1);
    helper_run_free(&run);
}

static void test_labels(void **state) {
    (void)state;
    HelperRun run = helper_run((HelperModel){0}, "ab");
    set_target(&run, 0, "xy", true);
    run.state.examples[0].enc_len = 4;
    run.state.examples[0].dec_len = 5;
    helper_pass(&run);
    static const char *const source[] = {"a", "b", "</s>", "<pad>"};
    static const char *const steps[] = {"<s>→x", "x→y", "y→</s>", "</s>→<pad>", "<pad>→<pad>"};
    const PassExample *example = &run.pass.examples[0];
    for (int s = 0; s < 4; s++)
        assert_string_equal(example->source[s], source[s]);
    for (int t = 0; t < 5; t++)
        assert_string_equal(example->steps[t], steps[t]);
    assert_ptr_equal(example->axes[SITE_ENCODER].rows, example->source);
    assert_ptr_equal(example->axes[SITE_DECODER].columns, example->reads);
    assert_ptr_equal(example->axes[SITE_CROSS].rows, example->steps);
    assert_ptr_equal(example->axes[SITE_CROSS].columns, example->source);
    helper_run_free(&run);
}

/* --- one step of a world ---------------------------------------------------------------------- */

/* Against the decoder's own, which keeps keys and values. */
static void test_log_probs(void **state) {
    (void)state;
    HelperRun run = helper_run((HelperModel){0}, "abcab");
    set_target(&run, 0, "xyzzy", true);
    helper_pass(&run);
    const PassExample *example = &run.pass.examples[0];
    double sum = 0;
    for (int t = 0; t < example->target_count; t++) {
        double log_prob = run.pass.world.examples[0].log_probs[t];
        assert_float_equal(log_prob, example->target.log_probs[t], NEAR);
        sum += log_prob;
        assert_float_equal(world_log_prob(&run.pass.world, 0, t + 1), sum, 1e-12);
    }
    assert_true(world_log_prob(&run.pass.world, 0, 0) == 0);
    helper_run_free(&run);
}

static void test_candidates(void **state) {
    (void)state;
    HelperRun run = helper_run((HelperModel){.characters = "ab"}, "abba");
    helper_pass(&run);
    const WorldExample *world = &run.pass.world.examples[0];
    assert_int_equal(world->candidate_count, 5); /* the whole vocabulary */
    for (int step = 0; step < run.pass.steps; step++) {
        const Candidate *list = world->candidates + step * WORLD_CANDIDATES;
        double sum = 0;
        bool seen[5] = {false};
        for (int i = 0; i < 5; i++) {
            assert_true(i == 0 || list[i].probability <= list[i - 1].probability);
            assert_false(seen[list[i].token]);
            seen[list[i].token] = true;
            sum += list[i].probability;
            if (list[i].token == run.pass.examples[0].target.tokens[step])
                assert_float_equal(log(list[i].probability), world->log_probs[step], 1e-9);
        }
        assert_float_equal(sum, 1, 1e-12);
        /* What was written is the most probable. */
        assert_int_equal(list[0].token, run.pass.examples[0].target.tokens[step]);
    }
    helper_run_free(&run);
}

/* Equal ones stand in the order of their ids, whichever came between. */
static void test_equal_candidates(void **state) {
    (void)state;
    HelperRun run = helper_run((HelperModel){.characters = "abcd"}, "abba");
    static const real bias[7] = {0, 0, 1, 0, 2, 0, 1};
    static const int wanted[WORLD_CANDIDATES] = {4, 2, 6, 0, 1};
    memset(run.model.params.generator.weight, 0, 7 * 8 * sizeof(real));
    memcpy(run.model.params.generator.bias, bias, sizeof bias);
    helper_pass(&run);
    assert_int_equal(run.pass.world.examples[0].candidate_count, WORLD_CANDIDATES);
    for (int i = 0; i < WORLD_CANDIDATES; i++)
        assert_int_equal(run.pass.world.examples[0].candidates[i].token, wanted[i]);
    helper_run_free(&run);
}

/* --- two examples ----------------------------------------------------------------------------- */

/* The first example's maps have no trace of the second, whatever its text and length. */
static void test_companion_does_not_leak(void **state) {
    (void)state;
    static const char *const others[] = {"a", "abcab", "zyxwv", "abcdefghijklmnop"};
    HelperRun alone = helper_run((HelperModel){0}, "abcab");
    helper_pass(&alone);
    int sources = alone.pass.source_len, targets = alone.pass.target_len;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        for (int forced = 0; forced < 2; forced++) {
            HelperRun both = helper_run((HelperModel){0}, "abcab");
            both.state.companion = true;
            assert_true(state_set_text(&both.state.examples[1].input, others[i]));
            if (forced) set_target(&both, 1, "q", true);
            helper_pass(&both);
            assert_int_equal(both.pass.count, 2);
            assert_string_equal(both.pass.examples[0].output, alone.pass.examples[0].output);
            const Trace *a = shown(&alone, 0), *b = shown(&both, 0);
            assert_true(helper_trace_gap(a, b, SITE_ENCODER, sources, sources) < NEAR);
            assert_true(helper_trace_gap(a, b, SITE_DECODER, targets, targets) < NEAR);
            assert_true(helper_trace_gap(a, b, SITE_CROSS, targets, sources) < NEAR);
            for (int t = 0; t < targets; t++)
                assert_float_equal(alone.pass.world.examples[0].log_probs[t],
                                   both.pass.world.examples[0].log_probs[t], NEAR);
            helper_run_free(&both);
        }
    helper_run_free(&alone);
}

/* And the second is what it would be by itself. */
static void test_companion_is_itself(void **state) {
    (void)state;
    HelperRun alone = helper_run((HelperModel){0}, "xyzzy");
    HelperRun both = helper_run((HelperModel){0}, "abcdefghijk");
    both.state.companion = true;
    assert_true(state_set_text(&both.state.examples[1].input, "xyzzy"));
    helper_pass(&alone);
    helper_pass(&both);
    assert_string_equal(both.pass.examples[1].output, alone.pass.examples[0].output);
    assert_int_equal(both.pass.examples[1].source_count, 6);
    assert_true(helper_trace_gap(shown(&alone, 0), shown(&both, 1), SITE_CROSS,
                                 alone.pass.target_len, 6) < NEAR);
    helper_run_free(&alone);
    helper_run_free(&both);
}

/* --- limits ----------------------------------------------------------------------------------- */

static void refuse(HelperRun *run, const char *input, const char *target, const char *named) {
    Error error = {0};
    PassRequest request = {
        .model = &run->model, .params = &run->model.params, .state = &run->state};
    assert_true(state_set_text(&run->state.examples[0].input, input));
    set_target(run, 0, target, true);
    pass_free(&run->pass);
    assert_false(pass_make(&run->pass, &request, &error));
    assert_int_equal(error.kind, ERROR_USAGE);
    if (!strstr(error.text, named)) fail_msg("%s", error.text);
    assert_int_equal(run->pass.count, 0);
}

static void test_limits(void **state) {
    (void)state;
    HelperRun run = helper_run((HelperModel){0}, "abcdefghijklmnop"); /* 16 and the end mark */
    run.state.examples[0].enc_len = run.state.examples[0].dec_len = 17;
    set_target(&run, 0, "abcdefghijklmnopq", true); /* 17, without one */
    helper_pass(&run);
    assert_int_equal(run.pass.source_len, 17);
    assert_int_equal(run.pass.target_len, 17);
    refuse(&run, "abcdefghijklmnopq", NULL, "at most 16");
    refuse(&run, "", NULL, "empty");
    refuse(&run, "a%b", NULL, "'%'");
    refuse(&run, "abc", "abcdefghijklmnopqr", "target: ");
    refuse(&run, "abc", "a%b", "target: ");
    refuse(&run, "abc", "\xff", "target: ");
    helper_run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_target_is_greedy),
        cmocka_unit_test(test_target_begins_as_forced),
        cmocka_unit_test(test_whole_target),
        cmocka_unit_test(test_maps_are_the_forward_pass),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_log_probs),
        cmocka_unit_test(test_candidates),
        cmocka_unit_test(test_equal_candidates),
        cmocka_unit_test(test_companion_does_not_leak),
        cmocka_unit_test(test_companion_is_itself),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
