/* Other worlds of a pass: valid lengths, causality, steps, heads out; and the model as trained. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/session/helper_pass.h"

/* Float; products of other shapes sum in another order. */
#define NEAR 1e-5

enum { SOURCES = 7, TARGETS = 6 }; /* tokens of the texts below, with their end marks */

static HelperRun small_run(void) {
    HelperRun run = helper_run((HelperModel){0}, "abcdef");
    assert_true(state_set_text(&run.state.examples[0].target, "vwxyz"));
    run.state.examples[0].whole = true;
    return run;
}

static const Trace *shown(const HelperRun *run) {
    return run->pass.world.examples[0].trace;
}

/* The source cut to its first tokens, with the target of the pass cut likewise. */
static Batch cut_batch(const HelperRun *run, int sources, int targets) {
    return helper_batch_of(&run->model.config, run->pass.batch.source, sources,
                           run->pass.examples[0].target.tokens, targets);
}

/* --- valid lengths ---------------------------------------------------------------------------- */

/* Every head of the site sees as many keys in each row: `len`, or up to its own where causal. */
static void assert_key_lens(const HelperRun *run, Site site, int len, bool causal) {
    TraceShape shape = trace_shape(shown(run), site);
    for (int layer = 0; layer < shape.layers; layer++)
        for (int head = 0; head < shape.heads; head++)
            for (int row = 0; row < shape.queries; row++) {
                HeadId id = {site, layer, head};
                int wanted = causal && row + 1 < len ? row + 1 : len;
                double sum = 0;
                for (int key = 0; key < shape.keys; key++) {
                    CellState cell;
                    float weight = trace_cell(shown(run), id, row, key, &cell);
                    assert_int_equal(cell, key < wanted ? CELL_VALUE : CELL_MASKED);
                    assert_true(key < wanted || weight == 0);
                    sum += (double)weight;
                }
                assert_float_equal(sum, wanted > 0, NEAR);
            }
}

static void test_lengths_mask_columns(void **state) {
    (void)state;
    HelperRun run = small_run();
    for (int enc = 0; enc <= SOURCES + 2; enc++)
        for (int dec = 0; dec <= TARGETS + 2; dec++)
            for (int causal = 0; causal < 2; causal++) {
                run.state.examples[0].enc_len = enc;
                run.state.examples[0].dec_len = dec;
                run.state.not_causal = !causal;
                helper_pass(&run);
                assert_int_equal(run.pass.source_len, enc > SOURCES ? enc : SOURCES);
                assert_int_equal(run.pass.target_len, dec > TARGETS ? dec : TARGETS);
                assert_key_lens(&run, SITE_ENCODER, enc, false);
                assert_key_lens(&run, SITE_CROSS, enc, false);
                assert_key_lens(&run, SITE_DECODER, dec, causal);
                bool changed = enc != SOURCES || dec != TARGETS || !causal;
                assert_int_equal(run.pass.changed, changed);
            }
    helper_run_free(&run);
}

/* A shorter valid length is what the model gives for the text cut there. */
static void test_source_length_is_cutting(void **state) {
    (void)state;
    HelperRun run = small_run();
    for (int enc = 1; enc < SOURCES; enc++) {
        run.state.examples[0].enc_len = enc;
        helper_pass(&run);
        Batch batch = cut_batch(&run, enc, TARGETS);
        Workspace workspace = {0};
        Trace *cut = helper_trace(&workspace, &run, &batch, (ForwardOptions){0});
        assert_true(helper_trace_gap(shown(&run), cut, SITE_ENCODER, enc, enc) < NEAR);
        assert_true(helper_trace_gap(shown(&run), cut, SITE_CROSS, -1, enc) < NEAR);
        assert_true(helper_trace_gap(shown(&run), cut, SITE_DECODER, -1, -1) < NEAR);
        trace_free(cut);
        workspace_free(&workspace);
        batch_free(&batch);
    }
    helper_run_free(&run);
}

/* A longer one shows the model padding, as a batch does that says the padding is valid. */
static void test_longer_length_reads_padding(void **state) {
    (void)state;
    HelperRun run = small_run();
    run.state.examples[0].enc_len = SOURCES + 2;
    helper_pass(&run);
    const int *source = run.pass.batch.source;
    assert_int_equal(source[SOURCES - 1], run.model.config.end_id);
    assert_int_equal(source[SOURCES], run.model.config.pad_id);
    assert_int_equal(source[SOURCES + 1], run.model.config.pad_id);
    Batch batch = cut_batch(&run, SOURCES + 2, TARGETS);
    Workspace workspace = {0};
    Trace *wanted = helper_trace(&workspace, &run, &batch, (ForwardOptions){0});
    assert_true(helper_traces_gap(shown(&run), wanted) < NEAR);
    trace_free(wanted);
    workspace_free(&workspace);
    batch_free(&batch);
    helper_run_free(&run);
}

/* --- steps ------------------------------------------------------------------------------------ */

/* While causal, what the decoder has read at step k is the beginning of the whole. */
static void test_steps_are_a_beginning(void **state) {
    (void)state;
    HelperRun run = small_run(), whole = small_run();
    helper_pass(&whole);
    for (int step = 1; step <= TARGETS + 3; step++) {
        int steps = step < TARGETS ? step : TARGETS;
        run.state.step = step;
        helper_pass(&run);
        assert_int_equal(run.pass.steps, steps);
        assert_int_equal(run.pass.target_len, TARGETS);
        assert_int_equal(trace_shape(shown(&run), SITE_DECODER).queries, steps);
        assert_true(helper_trace_gap(shown(&run), shown(&whole), SITE_ENCODER, -1, -1) < NEAR);
        assert_true(helper_trace_gap(shown(&run), shown(&whole), SITE_DECODER, steps, steps) <
                    NEAR);
        assert_true(helper_trace_gap(shown(&run), shown(&whole), SITE_CROSS, steps, -1) < NEAR);
        for (int t = 0; t < steps; t++)
            assert_float_equal(run.pass.world.examples[0].log_probs[t],
                               whole.pass.world.examples[0].log_probs[t], NEAR);
    }
    helper_run_free(&run);
    helper_run_free(&whole);
}

/* With causality off it is not, but it is the pass over the prefix. */
static void test_steps_without_causality(void **state) {
    (void)state;
    HelperRun run = small_run(), whole = small_run();
    run.state.not_causal = whole.state.not_causal = true;
    helper_pass(&whole);
    for (int step = 1; step < TARGETS; step++) {
        run.state.step = step;
        helper_pass(&run);
        Batch batch = cut_batch(&run, SOURCES, step);
        Workspace workspace = {0};
        Trace *prefix =
            helper_trace(&workspace, &run, &batch, (ForwardOptions){.not_causal = true});
        assert_true(helper_traces_gap(shown(&run), prefix) < NEAR);
        float first = trace_cell(shown(&run), (HeadId){SITE_CROSS, 1, 0}, 0, 0, NULL);
        float other = trace_cell(shown(&whole), (HeadId){SITE_CROSS, 1, 0}, 0, 0, NULL);
        assert_true(fabsf(first - other) > 1e-4F); /* or the test would tell nothing */
        trace_free(prefix);
        workspace_free(&workspace);
        batch_free(&batch);
    }
    helper_run_free(&run);
    helper_run_free(&whole);
}

/* A length past the step is as long as the step. */
static void test_steps_with_a_length(void **state) {
    (void)state;
    HelperRun run = small_run();
    run.state.step = 3;
    run.state.examples[0].dec_len = 2;
    helper_pass(&run);
    assert_key_lens(&run, SITE_DECODER, 2, true);
    run.state.examples[0].dec_len = 9;
    helper_pass(&run);
    assert_int_equal(run.pass.target_len, 9);
    assert_key_lens(&run, SITE_DECODER, 3, true);
    helper_run_free(&run);
}

/* --- heads out -------------------------------------------------------------------------------- */

static void knock_out(HelperRun *run, HeadId id, Knockout knockout) {
    run->state.knockouts[state_place(&run->model.config, id)] = (unsigned char)knockout;
}

/* The maps of the pass are those of a forward pass with this ablation, and what it would write anew
 * is what the engine decodes with it. */
static void assert_ablated(const HelperRun *run, const Ablation *ablation) {
    ForwardOptions options = {.ablation = ablation};
    Workspace workspace = {0};
    Error error = {0};
    Trace *wanted = helper_trace(&workspace, run, &run->pass.batch, options);
    assert_true(helper_traces_gap(shown(run), wanted) == 0); /* the very same products */
    Decoded decoded;
    ForcedTarget forced = {0}; /* a whole target leaves nothing to write: it is free beside it */
    if (!run->state.examples[0].whole)
        forced =
            (ForcedTarget){run->pass.examples[0].target.tokens, run->pass.examples[0].forced_count};
    if (!decode_forced(&decoded, &workspace, &run->model.config, &run->model.params,
                       &run->pass.sources, &forced, options, &error))
        fail_msg("%s", error.text);
    const Decoded *anew = &run->pass.world.examples[0].decoded;
    assert_int_equal(anew->length, decoded.length);
    assert_memory_equal(anew->tokens, decoded.tokens, (size_t)decoded.length * sizeof(int));
    decoded_free(&decoded, 1);
    trace_free(wanted);
    workspace_free(&workspace);
}

static void test_zero_ablation(void **state) {
    (void)state;
    HelperRun run = helper_run((HelperModel){0}, "abcdef");
    static const HeadId ids[] = {{SITE_CROSS, 1, 0}, {SITE_ENCODER, 0, 1}, {SITE_DECODER, 0, 0}};
    Ablation *ablation = ablation_make(&run.model.config, NULL);
    assert_non_null(ablation);
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) { /* one more each time */
        knock_out(&run, ids[i], KNOCKOUT_ZERO);
        ablation_set(ablation, ids[i], KNOCKOUT_ZERO);
        helper_pass(&run);
        assert_ablated(&run, ablation);
    }
    ablation_free(ablation);
    helper_run_free(&run);
}

/* Means of other texts, made by hand. */
static AblationMeans *means_over(const HelperRun *run, const Batch *batch) {
    AblationMeans *means = ablation_means_make(&run->model.config, NULL);
    Workspace workspace = {0};
    assert_non_null(means);
    trace_free(helper_trace(&workspace, run, batch, (ForwardOptions){0}));
    ablation_means_add(means, &workspace, batch);
    workspace_free(&workspace);
    return means;
}

static void assert_mean_ablated(HelperRun *run, const AblationMeans *means) {
    HeadId id = {SITE_CROSS, 0, 1};
    Ablation *ablation = ablation_make(&run->model.config, NULL);
    assert_non_null(ablation);
    ablation_set(ablation, id, KNOCKOUT_MEAN);
    ablation_means_store(means, ablation);
    assert_ablated(run, ablation);
    ablation_free(ablation);
}

static void test_mean_ablation(void **state) {
    (void)state;
    static const int source[] = {5, 6, 7, 2}, target[] = {9, 8, 2};
    HelperRun run = small_run();
    knock_out(&run, (HeadId){SITE_CROSS, 0, 1}, KNOCKOUT_MEAN);
    helper_pass(&run);
    AblationMeans *own = means_over(&run, &run.pass.batch);
    assert_mean_ablated(&run, own);
    double by_own = world_log_prob(&run.pass.world, 0, TARGETS);
    Batch batch = helper_batch_of(&run.model.config, source, 4, target, 3);
    AblationMeans *given = means_over(&run, &batch);
    run.means = given;
    helper_pass(&run);
    assert_mean_ablated(&run, given);
    assert_true(world_log_prob(&run.pass.world, 0, TARGETS) != by_own);
    ablation_means_free(own);
    ablation_means_free(given);
    batch_free(&batch);
    helper_run_free(&run);
}

/* --- with and without ------------------------------------------------------------------------- */

/* Every change keeps the world as trained beside it, over the same target. */
static void test_plain_stands_beside(void **state) {
    (void)state;
    HelperRun run = helper_run((HelperModel){0}, "abcdef");
    HelperRun plain = helper_run((HelperModel){0}, "abcdef");
    helper_pass(&plain);
    for (int change = 0; change < 4; change++) {
        run.state.not_causal = change == 0;
        run.state.examples[0].enc_len = change == 1 ? 3 : BY_TEXT;
        run.state.examples[0].dec_len = change == 2 ? 2 : BY_TEXT;
        knock_out(&run, (HeadId){SITE_CROSS, 1, 1}, change == 3 ? KNOCKOUT_ZERO : KNOCKOUT_NONE);
        helper_pass(&run);
        assert_true(run.pass.changed);
        assert_string_equal(run.pass.examples[0].output, plain.pass.examples[0].output);
        assert_true(helper_traces_gap(run.pass.plain.examples[0].trace, shown(&plain)) == 0);
        assert_true(world_log_prob(&run.pass.plain, 0, run.pass.steps) ==
                    world_log_prob(&plain.pass.world, 0, plain.pass.steps));
        assert_true(world_log_prob(&run.pass.world, 0, run.pass.steps) !=
                    world_log_prob(&run.pass.plain, 0, run.pass.steps));
        assert_true(run.pass.world.examples[0].decoded.length > 0);
    }
    helper_run_free(&run);
    helper_run_free(&plain);
}

/* What a world would write anew: each token is the best after those before it. */
static void test_anew_is_greedy_in_its_world(void **state) {
    (void)state;
    HelperRun run = helper_run((HelperModel){0}, "abcdef");
    run.state.examples[0].enc_len = 3;
    helper_pass(&run);
    const Decoded *anew = &run.pass.world.examples[0].decoded;
    Batch batch = cut_batch(&run, 3, 1), sources = {0};
    Workspace workspace = {0};
    Decoded wanted;
    Error error = {0};
    assert_true(batch_reserve(&sources, 1, 3, 0, &error));
    memcpy(sources.source, batch.source, 3 * sizeof(int));
    sources.enc_valid_lens[0] = 3;
    sources.dec_valid_lens[0] = 0;
    if (!decode_greedy(&wanted, &workspace, &run.model.config, &run.model.params, &sources, &error))
        fail_msg("%s", error.text);
    assert_int_equal(anew->length, wanted.length);
    assert_memory_equal(anew->tokens, wanted.tokens, (size_t)wanted.length * sizeof(int));
    decoded_free(&wanted, 1);
    workspace_free(&workspace);
    batch_free(&batch);
    batch_free(&sources);
    helper_run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lengths_mask_columns),
        cmocka_unit_test(test_source_length_is_cutting),
        cmocka_unit_test(test_longer_length_reads_padding),
        cmocka_unit_test(test_steps_are_a_beginning),
        cmocka_unit_test(test_steps_without_causality),
        cmocka_unit_test(test_steps_with_a_length),
        cmocka_unit_test(test_zero_ablation),
        cmocka_unit_test(test_mean_ablation),
        cmocka_unit_test(test_plain_stands_beside),
        cmocka_unit_test(test_anew_is_greedy_in_its_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
