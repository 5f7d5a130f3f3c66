/* What a head does, in figures worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "model/analysis/heads.h"
#include "tests/model/helper_maps.h"

/* Sums of a few quarters, each right to 1e-16. */
#define EXACT 1e-12

static void assert_figure(const HeadFigures *figures, Figure figure, double wanted) {
    if (!helper_near(figures->mean[figure], wanted, EXACT))
        fail_msg("%s: %.17g instead of %.17g", figure_name(figure), figures->mean[figure], wanted);
    assert_int_equal(figures->examples[figure], !isnan(wanted));
}

static HeadFigures figures_of(Site site, int queries, int keys, const float *weights,
                              const int *key_len) {
    Trace *trace = helper_maps(site, 1, queries, keys);
    HeadFigures figures;
    helper_write(trace, site, 0, weights, key_len);
    head_figures_of(&figures, trace, (HeadId){site, 0, 0});
    trace_free(trace);
    return figures;
}

static const float THREE[9] = {0.5F, 0.25F, 0.25F, 1, 0, 0, 0, 0.5F, 0.5F};

static void test_encoder(void **state) {
    (void)state;
    HeadFigures figures = figures_of(SITE_ENCODER, 3, 3, THREE, NULL);
    assert_int_equal(figures.rows, 3);
    assert_figure(&figures, FIGURE_ENTROPY, 2.5 / 3);
    assert_figure(&figures, FIGURE_SPREAD, 2.5 / 3 / log2(3));
    assert_figure(&figures, FIGURE_DISTANCE, (0.75 + 1 + 0.5) / 3);
    assert_figure(&figures, FIGURE_LARGEST, 2.0 / 3);
    assert_figure(&figures, FIGURE_PREVIOUS, (1 + 0.5) / 2); /* the first row has none */
    assert_figure(&figures, FIGURE_SELF, (0.5 + 0 + 0.5) / 3);
    assert_figure(&figures, FIGURE_NEXT, (0.25 + 0) / 2); /* nor the last a next one */
    assert_figure(&figures, FIGURE_FIRST, (0.5 + 1 + 0) / 3);
    assert_figure(&figures, FIGURE_LAST, (0.25 + 0 + 0.5) / 3);
    assert_figure(&figures, FIGURE_DIAGONAL, NAN);
}

/* The first row sees itself alone and does not count; no row has a next or a last key. */
static void test_causal(void **state) {
    (void)state;
    static const float weights[9] = {1, 0, 0, 0.25F, 0.75F, 0, 0.5F, 0.25F, 0.25F};
    static const int key_len[3] = {1, 2, 3};
    HeadFigures figures = figures_of(SITE_DECODER, 3, 3, weights, key_len);
    double entropy = 0.5 + 0.75 * log2(4.0 / 3); /* of 1/4 and 3/4 */
    assert_int_equal(figures.rows, 2);
    assert_figure(&figures, FIGURE_ENTROPY, (entropy + 1.5) / 2);
    assert_figure(&figures, FIGURE_SPREAD, (entropy + 1.5 / log2(3)) / 2);
    assert_figure(&figures, FIGURE_DISTANCE, (0.25 + 1.25) / 2);
    assert_figure(&figures, FIGURE_PREVIOUS, 0.25);
    assert_figure(&figures, FIGURE_SELF, 0.5);
    assert_figure(&figures, FIGURE_FIRST, 0.375);
    assert_figure(&figures, FIGURE_NEXT, NAN);
    assert_figure(&figures, FIGURE_LAST, NAN);
}

/* With causality off the decoder has both. */
static void test_decoder_that_sees_ahead(void **state) {
    (void)state;
    HeadFigures figures = figures_of(SITE_DECODER, 3, 3, THREE, NULL);
    assert_figure(&figures, FIGURE_NEXT, 0.125);
    assert_figure(&figures, FIGURE_LAST, 0.25);
}

/* The diagonal of 3 queries and 5 keys is on keys 0, 2 and 4; of 4 keys on 0, 2 (1.5, up) and 3. */
static void test_cross(void **state) {
    (void)state;
    static const float five[15] = {0.5F, 0, 0, 0, 0.5F, 0, 0, 1, 0, 0, 0.25F, 0, 0, 0, 0.75F};
    HeadFigures figures = figures_of(SITE_CROSS, 3, 5, five, NULL);
    assert_figure(&figures, FIGURE_DIAGONAL, (0.5 + 1 + 0.75) / 3);
    assert_figure(&figures, FIGURE_FIRST, (0.5 + 0 + 0.25) / 3);
    assert_figure(&figures, FIGURE_LAST, (0.5 + 0 + 0.75) / 3);
    assert_figure(&figures, FIGURE_DISTANCE, NAN);
    assert_figure(&figures, FIGURE_PREVIOUS, NAN);
    assert_figure(&figures, FIGURE_SELF, NAN);
    assert_figure(&figures, FIGURE_NEXT, NAN);

    static const float four[12] = {1, 0, 0, 0, 0, 0.25F, 0.75F, 0, 0, 0, 0, 1};
    figures = figures_of(SITE_CROSS, 3, 4, four, NULL);
    assert_figure(&figures, FIGURE_DIAGONAL, 2.75 / 3);
    figures = figures_of(SITE_CROSS, 1, 4, four, NULL); /* one query makes no line */
    assert_figure(&figures, FIGURE_DIAGONAL, NAN);
}

/* Padding on show: rows past the valid ones do not count, and the last key is the last valid. */
static void test_valid_lengths(void **state) {
    (void)state;
    static const float weights[16] = {0.25F, 0.25F, 0.5F, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.5F, 0.5F};
    static const int key_len[4] = {3, 3, 3, 2};
    HeadId id = {SITE_ENCODER, 0, 0};
    Trace *trace = helper_maps(SITE_ENCODER, 1, 4, 4);
    HeadFigures figures;
    helper_write(trace, SITE_ENCODER, 0, weights, key_len);
    trace_set_real(trace, SITE_ENCODER, 3, 3);
    head_figures_of(&figures, trace, id);
    assert_int_equal(figures.rows, 3);
    assert_figure(&figures, FIGURE_LAST, (0.5 + 0 + 1) / 3);
    assert_figure(&figures, FIGURE_SELF, (0.25 + 1 + 1) / 3);
    /* Keys of padding that a row does see: the last valid one stays the last. */
    helper_write(trace, SITE_ENCODER, 0, weights, NULL);
    trace_set_real(trace, SITE_ENCODER, 3, 2);
    head_figures_of(&figures, trace, id);
    assert_figure(&figures, FIGURE_LAST, (0.25 + 1 + 0) / 3);
    trace_set_real(trace, SITE_ENCODER, 99, 99);
    head_figures_of(&figures, trace, id);
    assert_int_equal(figures.rows, 4);
    trace_free(trace);
}

/* A window of two keys around the own one, which row 0 sees as a prefix and row 3 not. */
static void test_window(void **state) {
    (void)state;
    static const float weights[16] = {0.5F, 0.5F, 9, 9,    0.25F, 0.5F, 0.25F, 9,
                                      9,    0.5F, 0, 0.5F, 9,     9,    0.25F, 0.75F};
    static const unsigned char visible[16] = {1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1};
    HeadId id = {SITE_ENCODER, 0, 0};
    Trace *trace = helper_maps(SITE_ENCODER, 1, 4, 4);
    HeadFigures figures;
    helper_write(trace, SITE_ENCODER, 0, weights, NULL);
    assert_true(trace_set_visible(trace, id, visible, NULL));
    head_figures_of(&figures, trace, id);
    double last_entropy = 0.5 + 0.75 * log2(4.0 / 3);
    assert_int_equal(figures.rows, 4);
    assert_figure(&figures, FIGURE_ENTROPY, (1 + 1.5 + 1 + last_entropy) / 4);
    assert_figure(&figures, FIGURE_SPREAD,
                  (1 + 1.5 / log2(3) + 1 / log2(3) + last_entropy) / 4); /* of 2, 3, 3, 2 keys */
    assert_figure(&figures, FIGURE_DISTANCE, (0.5 + 0.5 + 1 + 0.25) / 4);
    assert_figure(&figures, FIGURE_LARGEST, (0.5 + 0.5 + 0.5 + 0.75) / 4);
    assert_figure(&figures, FIGURE_PREVIOUS, (0.25 + 0.5 + 0.25) / 3);
    assert_figure(&figures, FIGURE_NEXT, (0.5 + 0.25 + 0.5) / 3);
    assert_figure(&figures, FIGURE_FIRST, (0.5 + 0.25) / 2); /* two rows see it */
    assert_figure(&figures, FIGURE_LAST, (0.5 + 0.25 + 0.5 + 0.75) / 4);
    trace_set_real(trace, SITE_ENCODER, 4, 3); /* the last valid key is 2 */
    head_figures_of(&figures, trace, id);
    assert_figure(&figures, FIGURE_LAST, (0.5 + 0.25 + 0 + 0.25) / 4);
    /* One key in mid-row tells nothing, however long the row is. */
    static const unsigned char one[16] = {0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0};
    assert_true(trace_set_visible(trace, id, one, NULL));
    head_figures_of(&figures, trace, id);
    assert_int_equal(figures.rows, 0);
    assert_int_equal(figures.no_figures, HEAD_ONE_KEY);
    trace_free(trace);
}

/* Rows of no key, one key, keys all alike, or a cell that is no number. */
static void test_rows_that_do_not_count(void **state) {
    (void)state;
    static const float weights[20] = {0, 0, 0, 0, 1,   0, 0,     0,     0.5F,  0.5F,
                                      0, 0, 0, 1, NAN, 0, 0.25F, 0.25F, 0.25F, 0.25F};
    static const int key_len[5] = {0, 1, 2, 4, 4};
    HeadId id = {SITE_CROSS, 0, 0};
    Trace *trace = helper_maps(SITE_CROSS, 1, 5, 4);
    HeadFigures figures;
    helper_write(trace, SITE_CROSS, 0, weights, key_len);
    head_figures_of(&figures, trace, id);
    assert_int_equal(figures.rows, 2);
    assert_figure(&figures, FIGURE_ENTROPY, 1.5);
    trace_set_keys_alike(trace, id, 0); /* as of a map without keys: one key still tells nothing */
    head_figures_of(&figures, trace, id);
    assert_int_equal(figures.rows, 2);
    trace_set_keys_alike(trace, id, 2);
    head_figures_of(&figures, trace, id);
    assert_int_equal(figures.rows, 1);
    assert_figure(&figures, FIGURE_ENTROPY, 2);
    trace_set_keys_alike(trace, id, 4);
    head_figures_of(&figures, trace, id);
    assert_int_equal(figures.rows, 0);
    for (int i = 0; i < FIGURE_COUNT; i++)
        assert_figure(&figures, (Figure)i, NAN);
    trace_free(trace);
}

static void assert_silence(HeadNoFigures wanted, const char *label, int real, int alike,
                           const int *key_len, const float *weights) {
    HeadId id = {SITE_CROSS, 0, 0};
    Trace *trace = helper_maps(SITE_CROSS, 1, 2, 2);
    HeadFigures figures;
    HeadTotals totals = {0};
    char text[64];
    helper_write(trace, SITE_CROSS, 0, weights, key_len);
    trace_set_real(trace, SITE_CROSS, real, 2);
    trace_set_keys_alike(trace, id, alike);
    head_figures_of(&figures, trace, id);
    assert_int_equal(figures.no_figures, wanted);
    head_figures_add(&totals, &figures);
    head_figures_end(&figures, &totals);
    assert_int_equal(figures.no_figures, wanted);
    head_label(&figures, SITE_CROSS, text, sizeof text);
    assert_string_equal(text, label);
    trace_free(trace);
}

/* A head without figures says why it has none. */
static void test_silence(void **state) {
    (void)state;
    static const float even[4] = {0.5F, 0.5F, 0.5F, 0.5F}, sharp[4] = {0.9F, 0.1F, 0.9F, 0.1F};
    static const float broken[4] = {NAN, 0.5F, NAN, 0.5F};
    static const int none[2] = {0, 0}, one[2] = {1, 1}, two[2] = {2, 2}, past[2] = {1, 2};
    assert_silence(HEAD_NO_KEY, "sees no key", 2, 1, none, even);
    assert_silence(HEAD_NO_KEY, "sees no key", 0, 1, none, even);
    assert_silence(HEAD_NO_QUERY, "no valid query", 0, 1, two, even);
    assert_silence(HEAD_ONE_KEY, "sees one key alone", 2, 1, one, even);
    assert_silence(HEAD_ONE_KEY, "sees one key alone", 1, 1, past, even);
    assert_silence(HEAD_KEYS_ALIKE, "sees keys that are all alike", 2, 2, two, even);
    assert_silence(HEAD_NOT_NUMBERS, "not a number", 2, 1, two, broken);
    assert_silence(HEAD_INFORMATIVE, "reads the first source token (90 %)", 2, 1, two, sharp);
}

/* An example with one figure alone. */
static HeadFigures example(Figure figure, double value) {
    HeadFigures one = {.rows = 10};
    for (int i = 0; i < FIGURE_COUNT; i++)
        one.mean[i] = NAN;
    one.mean[figure] = value;
    return one;
}

/* 1, 2 and 6: mean 3, variance 7, error sqrt(7/3). An example without the figure does not count.
 * Summed one by one, or in two parts that are joined. */
static void test_totals(void **state) {
    (void)state;
    static const double values[4] = {1, NAN, 2, 6};
    for (int cut = 0; cut <= 4; cut++) {
        HeadTotals totals = {0}, rest = {0};
        HeadFigures figures, one = example(FIGURE_FIRST, 0.5);
        for (int i = 0; i < 4; i++) {
            HeadFigures next = example(FIGURE_SELF, values[i]);
            head_figures_add(i < cut ? &totals : &rest, &next);
        }
        head_figures_add(&rest, &one);
        head_figures_join(&totals, &rest);
        head_figures_end(&figures, &totals);
        assert_int_equal(figures.rows, 50);
        assert_int_equal(figures.examples[FIGURE_SELF], 3);
        assert_true(helper_near(figures.mean[FIGURE_SELF], 3, EXACT));
        assert_true(helper_near(figures.error[FIGURE_SELF], sqrt(7.0 / 3), EXACT));
        assert_true(helper_near(figures.mean[FIGURE_FIRST], 0.5, EXACT));
        assert_true(isnan(figures.error[FIGURE_FIRST]));
        assert_true(isnan(figures.mean[FIGURE_NEXT]));
        assert_int_equal(figures.examples[FIGURE_NEXT], 0);
    }
}

static void assert_label(Site site, Figure figure, double share, double spread,
                         const char *wanted) {
    HeadFigures figures = {0};
    char text[64];
    for (int i = 0; i < FIGURE_COUNT; i++)
        figures.mean[i] = NAN;
    figures.mean[FIGURE_SPREAD] = spread;
    figures.mean[FIGURE_LAST] = 0.1;
    figures.mean[figure] = share;
    head_label(&figures, site, text, sizeof text);
    assert_string_equal(text, wanted);
}

static void test_labels(void **state) {
    (void)state;
    assert_label(SITE_ENCODER, FIGURE_PREVIOUS, 0.81, 0.4, "reads the previous token (81 %)");
    assert_label(SITE_DECODER, FIGURE_SELF, 0.5, 0.4, "stays on its own token (50 %)");
    assert_label(SITE_ENCODER, FIGURE_NEXT, 0.6, 0.4, "reads the next token (60 %)");
    assert_label(SITE_ENCODER, FIGURE_FIRST, 0.6, 0.4, "reads the first token (60 %)");
    assert_label(SITE_CROSS, FIGURE_FIRST, 0.6, 0.4, "reads the first source token (60 %)");
    assert_label(SITE_CROSS, FIGURE_LAST, 1, 0.4, "reads the last source token (100 %)");
    assert_label(SITE_ENCODER, FIGURE_LAST, 0.6, 0.4, "reads the last token (60 %)");
    assert_label(SITE_CROSS, FIGURE_DIAGONAL, 0.7, 0.4, "follows the diagonal (70 %)");
    assert_label(SITE_CROSS, FIGURE_DIAGONAL, 0.49, 0.4, "");
    assert_label(SITE_CROSS, FIGURE_DIAGONAL, NAN, 0.4, "");
    assert_label(SITE_CROSS, FIGURE_DIAGONAL, NAN, 0.97,
                 "spreads over all keys (entropy 97 % of the most)");
    assert_label(SITE_DECODER, FIGURE_FIRST, 0.5, 1,
                 "spreads over all keys (entropy 100 % of the most)");
}

/* The larger of two shares is said; of two the same, the previous token goes before the first. */
static void test_label_of_the_largest(void **state) {
    (void)state;
    HeadFigures figures = {0};
    char text[64];
    figures.mean[FIGURE_PREVIOUS] = figures.mean[FIGURE_FIRST] = 0.6;
    head_label(&figures, SITE_DECODER, text, sizeof text);
    assert_string_equal(text, "reads the previous token (60 %)");
    figures.mean[FIGURE_LAST] = 0.7;
    head_label(&figures, SITE_DECODER, text, sizeof text);
    assert_string_equal(text, "reads the last token (70 %)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_encoder),
        cmocka_unit_test(test_causal),
        cmocka_unit_test(test_decoder_that_sees_ahead),
        cmocka_unit_test(test_cross),
        cmocka_unit_test(test_valid_lengths),
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_rows_that_do_not_count),
        cmocka_unit_test(test_silence),
        cmocka_unit_test(test_totals),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_label_of_the_largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
