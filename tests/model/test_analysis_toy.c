/* The toy of D2L 11.5 with all inputs 1: the right split of heads gives the same map in every head,
 * so identical heads there must not be taken for a fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "model/analysis/compare.h"
#include "model/analysis/heads.h"
#include "model/analysis/similarity.h"
#include "tests/model/helper_network.h"

/* D2L's sizes: batch 2, 4 queries, 6 key-value pairs, width 100, 5 heads, valid_lens [3, 2]. The
 * network has the toy's cross-attention; its encoder has no positions and reads one token over and
 * over, so that all keys are alike, as the toy's ones are. */
static Trace *toy_trace(bool ones, int example) {
    static const int source_lens[2] = {6, 6}, target_lens[2] = {4, 4}, valid_lens[2] = {3, 2};
    Config config = helper_config();
    Error error = {0};
    config.width = 100;
    config.heads = 5;
    config.positions = ones ? POSITION_NONE : POSITION_INTERLEAVED;
    Params params = helper_params(&config, 3);
    Batch batch = helper_batch(&config, 2, source_lens, target_lens, 4);
    Workspace ws = {0};
    for (int i = 0; ones && i < 12; i++)
        batch.source[i] = 4;
    assert_true(workspace_fit(&ws, &config, 2, 6, 4, false, &error));
    transformer_forward(&ws, &params, &batch, (ForwardOptions){.enc_valid_lens = valid_lens});
    Trace *trace = transformer_trace(&ws, &batch, example, 6, 4, &error);
    assert_non_null(trace);
    workspace_free(&ws);
    batch_free(&batch);
    params_free(&params);
    return trace;
}

static void test_ones_tell_nothing(void **state) {
    (void)state;
    for (int example = 0; example < 2; example++) {
        Trace *trace = toy_trace(true, example);
        Similarity similarity;
        assert_true(similarity_make(&similarity, trace, SITE_CROSS, NULL));
        assert_int_equal(similarity.count, 10);
        assert_int_equal(similarity.same_count, 0);
        assert_true(similarity.uninformative);
        for (int i = 1; i < similarity.count; i++) {
            MapComparison pair;
            HeadId a = similarity.heads[0], b = similarity.heads[i];
            assert_true(compare_maps(&pair, trace, a, trace, b, NULL));
            /* Each cell is a third or a half, less than COMPARE_SAME off: no row counts. */
            assert_int_equal(pair.rows, 0);
            assert_int_equal(pair.cells, 0);
            assert_int_equal(compare_identical(trace, a, trace, b), MAPS_UNINFORMATIVE);
            comparison_free(&pair);
        }
        HeadFigures figures;
        head_figures_of(&figures, trace, similarity.heads[0]);
        assert_int_equal(figures.rows, 0);
        similarity_free(&similarity);
        trace_free(trace);
    }
}

/* Other inputs do tell: no two heads are the same. */
static void test_other_inputs_tell(void **state) {
    (void)state;
    for (int example = 0; example < 2; example++) {
        Trace *trace = toy_trace(false, example);
        Similarity similarity;
        assert_true(similarity_make(&similarity, trace, SITE_CROSS, NULL));
        assert_false(similarity.uninformative);
        assert_int_equal(similarity.same_count, 0);
        assert_int_equal(compare_identical(trace, similarity.heads[0], trace, similarity.heads[1]),
                         MAPS_DIFFERENT);
        similarity_free(&similarity);
        trace_free(trace);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ones_tell_nothing),
        cmocka_unit_test(test_other_inputs_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
