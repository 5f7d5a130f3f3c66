/* Two maps against each other, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "model/analysis/compare.h"
#include "tests/model/helper_maps.h"

#define EXACT 1e-12

static const HeadId FIRST = {SITE_CROSS, 0, 0}, SECOND = {SITE_CROSS, 0, 1};

typedef struct Map {
    const float *weights;
    const int *key_len;
} Map;

static Trace *both(int queries, int keys, Map a, Map b) {
    Trace *trace = helper_maps(SITE_CROSS, 2, queries, keys);
    helper_write(trace, SITE_CROSS, 0, a.weights, a.key_len);
    helper_write(trace, SITE_CROSS, 1, b.weights, b.key_len);
    return trace;
}

static MapComparison compared(int queries, int keys, Map a, Map b) {
    Trace *trace = both(queries, keys, a, b);
    MapComparison found;
    Error error = {0};
    if (!compare_maps(&found, trace, FIRST, trace, SECOND, &error)) fail_msg("%s", error.text);
    trace_free(trace);
    return found;
}

/* Of (1/2, 1/2) and (1, 0): H(3/4, 1/4) - (1 + 0)/2. */
static const double HALF_AGAINST_ONE = 2 - 0.75 * 1.5849625007211562 - 0.5;

static void test_figures(void **state) {
    (void)state;
    static const float a[6] = {0.5F, 0.5F, 1, 0, 0.25F, 0.75F};
    static const float b[6] = {1, 0, 0, 1, 0.25F, 0.75F};
    MapComparison found = compared(3, 2, (Map){a, NULL}, (Map){b, NULL});
    assert_true(helper_near(found.largest, 1, EXACT));
    assert_int_equal(found.row_largest, 1);
    assert_int_equal(found.key_largest, 0);
    assert_true(helper_near(found.mean, 0.5, EXACT));
    assert_int_equal(found.cells, 6);
    assert_true(helper_near(found.row_divergence[0], HALF_AGAINST_ONE, EXACT));
    assert_true(helper_near(found.row_divergence[1], 1, EXACT));
    assert_true(helper_near(found.row_divergence[2], 0, EXACT));
    assert_true(helper_near(found.divergence, (HALF_AGAINST_ONE + 1) / 3, EXACT));
    assert_int_equal(found.rows, 3);
    /* About the mean 1/2: a 0 0 .5 -.5 -.25 .25, b .5 -.5 -.5 .5 -.25 .25: -.375 of
     * sqrt(.625 * 1.125). */
    assert_true(helper_near(found.correlation, -0.375 / sqrt(0.625 * 1.125), EXACT));
    comparison_free(&found);
    comparison_free(&found);
}

static void test_same_map(void **state) {
    (void)state;
    static const float a[6] = {0.2F, 0.3F, 0.5F, 0.7F, 0.3F, 0};
    MapComparison found = compared(2, 3, (Map){a, NULL}, (Map){a, NULL});
    assert_true(found.largest == 0 && found.mean == 0 && found.divergence == 0);
    assert_true(helper_near(found.correlation, 1, EXACT));
    comparison_free(&found);
}

/* A cell that neither map shows is no cell, wherever it stands in its row; one that a single map
 * shows is 0 in the other. */
static void test_any_visible_set(void **state) {
    (void)state;
    static const float a[4] = {0.5F, 9, 0.5F, 9}, b[4] = {1, 9, 9, 9};
    static const unsigned char a_visible[4] = {1, 0, 1, 0}, b_visible[4] = {1, 0, 0, 0};
    static const unsigned char none[4] = {0, 0, 0, 0};
    Trace *trace = both(1, 4, (Map){a, NULL}, (Map){b, NULL});
    MapComparison found;
    assert_true(trace_set_visible(trace, FIRST, a_visible, NULL));
    assert_true(trace_set_visible(trace, SECOND, b_visible, NULL));
    assert_true(compare_maps(&found, trace, FIRST, trace, SECOND, NULL));
    assert_int_equal(found.cells, 2);
    assert_true(helper_near(found.mean, 0.5, EXACT));
    assert_true(helper_near(found.largest, 0.5, EXACT));
    assert_true(helper_near(found.row_divergence[0], HALF_AGAINST_ONE, EXACT));
    comparison_free(&found);
    assert_true(trace_set_visible(trace, SECOND, none, NULL));
    assert_true(compare_maps(&found, trace, FIRST, trace, SECOND, NULL));
    assert_true(found.row_divergence[0] == 1);
    comparison_free(&found);
    trace_free(trace);
}

/* Even weights correlate with nothing, even where rounding parts them a little. */
static void test_constant_map(void **state) {
    (void)state;
    static const float even[3] = {0.3333333F, 0.3333333F, 0.3333334F}, b[3] = {1, 0, 0};
    MapComparison found = compared(1, 3, (Map){even, NULL}, (Map){b, NULL});
    assert_true(isnan(found.correlation));
    comparison_free(&found);
}

/* Row 0 is empty in both, row 1 in one of them; row 2 is masked in part. Cells that neither sees
 * count for nothing. */
static void test_empty_rows(void **state) {
    (void)state;
    static const float a[9] = {0, 0, 0, 0.5F, 0.5F, 0, 0.5F, 0.5F, 0};
    static const float b[9] = {0, 0, 0, 0, 0, 0, 1, 0, 0};
    static const int a_len[3] = {0, 2, 2}, b_len[3] = {0, 0, 1};
    MapComparison found = compared(3, 3, (Map){a, a_len}, (Map){b, b_len});
    assert_true(isnan(found.row_divergence[0]));
    assert_true(helper_near(found.row_divergence[1], 1, EXACT));
    assert_true(helper_near(found.row_divergence[2], HALF_AGAINST_ONE, EXACT));
    assert_int_equal(found.rows, 2);
    assert_int_equal(found.cells, 4);
    assert_true(helper_near(found.mean, 0.5, EXACT));
    comparison_free(&found);
}

static void test_nothing_seen(void **state) {
    (void)state;
    static const float none[2] = {0};
    static const int len[1] = {0};
    MapComparison found = compared(1, 2, (Map){none, len}, (Map){none, len});
    assert_true(isnan(found.largest) && isnan(found.mean) && isnan(found.correlation));
    assert_true(isnan(found.divergence));
    assert_int_equal(found.row_largest, -1);
    assert_int_equal(found.key_largest, -1);
    comparison_free(&found);
}

/* Row 2 is padding in one of the two, row 0 sees one key in both: of three rows one counts. */
static void test_rows_that_count(void **state) {
    (void)state;
    static const float a[6] = {1, 0, 0.5F, 0.5F, 1, 0}, b[6] = {1, 0, 1, 0, 0, 1};
    static const int len[3] = {1, 2, 2};
    Trace *first = both(3, 2, (Map){a, len}, (Map){a, len});
    Trace *second = both(3, 2, (Map){b, len}, (Map){b, len});
    MapComparison found;
    trace_set_real(second, SITE_CROSS, 2, 2);
    assert_true(compare_maps(&found, first, FIRST, second, FIRST, NULL));
    assert_int_equal(found.rows, 1);
    assert_int_equal(found.cells, 2);
    assert_true(isnan(found.row_divergence[0]) && isnan(found.row_divergence[2]));
    assert_true(helper_near(found.divergence, HALF_AGAINST_ONE, EXACT));
    assert_true(helper_near(found.largest, 0.5, EXACT));
    assert_int_equal(found.row_largest, 1);
    comparison_free(&found);
    assert_int_equal(compare_identical(first, FIRST, second, FIRST), MAPS_DIFFERENT);
    trace_set_real(first, SITE_CROSS, 1, 2);
    assert_int_equal(compare_identical(first, FIRST, second, FIRST), MAPS_UNINFORMATIVE);
    assert_true(compare_maps(&found, first, FIRST, second, FIRST, NULL));
    assert_int_equal(found.rows, 0);
    assert_int_equal(found.cells, 0);
    assert_true(isnan(found.largest) && isnan(found.divergence));
    comparison_free(&found);
    trace_free(first);
    trace_free(second);
}

/* A row of one key counts where the two differ there: another mistake than a softmax over keys. */
static void test_one_key_that_differs(void **state) {
    (void)state;
    static const float a[2] = {1, 0}, b[2] = {0.25F, 0};
    static const int one[1] = {1};
    MapComparison found = compared(1, 2, (Map){a, one}, (Map){b, one});
    assert_int_equal(found.rows, 1);
    assert_true(helper_near(found.largest, 0.75, EXACT));
    comparison_free(&found);
}

static void test_broken_cells(void **state) {
    (void)state;
    static const float a[4] = {NAN, 0.25F, 1, 0}, b[4] = {0.5F, 0.5F, 1, 0};
    MapComparison found = compared(2, 2, (Map){a, NULL}, (Map){b, NULL});
    assert_int_equal(found.cells, 3);
    assert_true(helper_near(found.largest, 0.25, EXACT));
    assert_true(isnan(found.row_divergence[0]));
    assert_int_equal(found.rows, 1);
    assert_true(found.divergence == 0);
    comparison_free(&found);
}

static void test_other_sizes(void **state) {
    (void)state;
    Trace *a = helper_maps(SITE_CROSS, 2, 3, 4), *b = helper_maps(SITE_CROSS, 2, 3, 5);
    MapComparison found;
    Error error = {0};
    assert_false(compare_maps(&found, a, FIRST, b, SECOND, &error));
    assert_int_equal(error.kind, ERROR_USAGE);
    assert_non_null(strstr(error.text, "cross.0.0 has 3 queries and 4 keys, cross.0.1 3 and 5"));
    assert_null(found.row_divergence);
    assert_int_equal(compare_identical(a, FIRST, b, SECOND), MAPS_DIFFERENT);
    assert_false(compare_maps(&found, a, (HeadId){SITE_CROSS, 1, 0}, a, FIRST, &error));
    assert_non_null(strstr(error.text, "cross.1.0: no such head"));
    assert_false(compare_maps(&found, a, FIRST, a, (HeadId){SITE_ENCODER, 0, 0}, &error));
    trace_free(a);
    trace_free(b);
}

static MapsSame identical(int queries, int keys, Map a, Map b, int alike) {
    Trace *trace = both(queries, keys, a, b);
    trace_set_keys_alike(trace, SECOND, alike);
    MapsSame same = compare_identical(trace, FIRST, trace, SECOND);
    trace_free(trace);
    return same;
}

static void test_identical(void **state) {
    (void)state;
    static const float a[6] = {1, 0, 0, 0.5F, 0.25F, 0.25F};
    static const float near[6] = {1, 0, 0, 0.5F, 0.2500005F, 0.2499995F};
    static const float off[6] = {1, 0, 0, 0.5F, 0.250002F, 0.249998F};
    static const int causal[2] = {1, 3}, one[2] = {1, 1};
    Map map = {a, causal};
    assert_int_equal(identical(2, 3, map, (Map){near, causal}, 1), MAPS_SAME);
    assert_int_equal(identical(2, 3, map, (Map){near, causal}, 2), MAPS_SAME);
    assert_int_equal(identical(2, 3, map, (Map){off, causal}, 1), MAPS_DIFFERENT);
    /* Keys all alike in one of the two, and rows with but one key: nothing tells. */
    assert_int_equal(identical(2, 3, map, (Map){near, causal}, 3), MAPS_UNINFORMATIVE);
    assert_int_equal(identical(2, 3, map, (Map){off, causal}, 3), MAPS_UNINFORMATIVE);
    assert_int_equal(identical(2, 3, (Map){a, one}, (Map){a, one}, 1), MAPS_UNINFORMATIVE);
}

/* A row with a broken cell tells nothing; the others do. */
static void test_identical_but_for_broken_rows(void **state) {
    (void)state;
    static const float a[4] = {NAN, 0.25F, 0.5F, 0.5F}, b[4] = {0.5F, 0.5F, 0.5F, 0.5F};
    assert_int_equal(identical(2, 2, (Map){a, NULL}, (Map){b, NULL}, 1), MAPS_SAME);
    assert_int_equal(identical(1, 2, (Map){a, NULL}, (Map){b, NULL}, 1), MAPS_UNINFORMATIVE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_same_map),
        cmocka_unit_test(test_any_visible_set),
        cmocka_unit_test(test_constant_map),
        cmocka_unit_test(test_empty_rows),
        cmocka_unit_test(test_nothing_seen),
        cmocka_unit_test(test_rows_that_count),
        cmocka_unit_test(test_one_key_that_differs),
        cmocka_unit_test(test_broken_cells),
        cmocka_unit_test(test_other_sizes),
        cmocka_unit_test(test_identical),
        cmocka_unit_test(test_identical_but_for_broken_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
