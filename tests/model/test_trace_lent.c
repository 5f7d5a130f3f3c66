/* Levels of a pyramid that a trace was lent: given for the very spans of their blocks, until the
 * map changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/trace/trace.h"

enum { QUERIES = 12, KEYS = 19 };

static const HeadId id = {SITE_DECODER, 1, 2};

static Trace *make(void) {
    static const TraceShape shapes[SITE_COUNT] = {[SITE_DECODER] = {2, 3, QUERIES, KEYS}};
    static float weights[QUERIES * KEYS];
    Error error = {0};
    Trace *trace = trace_make(shapes, &error);
    if (!trace) fail_msg("%s", error.text);
    for (int i = 0; i < QUERIES * KEYS; i++)
        weights[i] = (float)i;
    trace_write(trace, id, weights, KEYS, NULL);
    return trace;
}

/* Spans of `size` cells, of which the last ends with the side. */
static int spans_of(TraceSpan *spans, int side, int size) {
    int count = 0;
    for (int first = 0; first < side; first += size)
        spans[count++] = (TraceSpan){first, first + size < side ? first + size - 1 : side - 1};
    return count;
}

/* Asked twice: what is not lent may be kept only then. */
static const float *twice(const Trace *trace, const TraceSpan *rows, int row_count,
                          const TraceColumns *columns) {
    trace_folded(trace, id, rows, row_count, columns);
    return trace_folded(trace, id, rows, row_count, columns);
}

static const float *folded(const Trace *trace, int rows_size, int columns_size) {
    TraceSpan rows[QUERIES], columns[KEYS];
    int row_count = spans_of(rows, QUERIES, rows_size);
    TraceColumns all = trace_columns(columns, spans_of(columns, KEYS, columns_size));
    return twice(trace, rows, row_count, &all);
}

static void test_the_very_blocks(void **state) {
    (void)state;
    static const float two[6 * 10] = {0}, four[3 * 5] = {0};
    Trace *trace = make();
    assert_true(trace_lend(trace, id, 1, two));
    assert_true(trace_lend(trace, id, 2, four));
    assert_ptr_equal(folded(trace, 2, 2), two);
    assert_ptr_equal(folded(trace, 4, 4), four);
    assert_ptr_equal(folded(trace, 2, 2), two);
    assert_true(folded(trace, 8, 8)[0] == 7 * KEYS + 7); /* not lent */
    assert_true(folded(trace, 2, 4)[0] == KEYS + 3);     /* not alike on both sides */
    assert_true(folded(trace, 3, 3)[0] == 2 * KEYS + 2);
    trace_free(trace);
}

/* Blocks as large, but elsewhere or fewer. */
static void test_other_spans(void **state) {
    (void)state;
    static const float two[6 * 10] = {0};
    Trace *trace = make();
    TraceSpan rows[QUERIES], columns[KEYS];
    int row_count = spans_of(rows, QUERIES, 2), column_count = spans_of(columns, KEYS, 2);
    assert_true(trace_lend(trace, id, 1, two));
    TraceColumns all = trace_columns(columns, column_count);
    TraceColumns less = trace_columns(columns, column_count - 1);
    assert_ptr_equal(twice(trace, rows, row_count, &all), two);
    assert_true(twice(trace, rows, row_count, &less)[0] == KEYS + 1);
    columns[4].last--;
    TraceColumns other = trace_columns(columns, column_count);
    assert_true(twice(trace, rows, row_count, &other)[0] == KEYS + 1);
    trace_free(trace);
}

/* Of a picture that is drawn in parts. */
static void test_some_of_the_rows(void **state) {
    (void)state;
    static const float two[6 * 10] = {0};
    Trace *trace = make();
    TraceSpan rows[QUERIES], columns[KEYS];
    int row_count = spans_of(rows, QUERIES, 2);
    TraceColumns all = trace_columns(columns, spans_of(columns, KEYS, 2));
    assert_true(trace_lend(trace, id, 1, two));
    assert_ptr_equal(twice(trace, rows, row_count - 1, &all), two);
    assert_ptr_equal(twice(trace, rows + 2, row_count - 2, &all), two + 20);
    assert_ptr_equal(twice(trace, rows + row_count - 1, 1, &all), two + 50);
    rows[2].first++; /* half of a block */
    assert_true(twice(trace, rows + 2, 2, &all)[0] == 5 * KEYS + 1);
    rows[2] = (TraceSpan){4, 4};
    assert_true(twice(trace, rows + 1, 2, &all)[10] == 4 * KEYS + 1);
    trace_free(trace);
}

static void test_until_the_map_changes(void **state) {
    (void)state;
    static const float two[6 * 10] = {0};
    static const int seen[QUERIES] = {KEYS, 0};
    Trace *trace = make();
    assert_true(trace_lend(trace, id, 1, two));
    assert_true(trace_lend(trace, (HeadId){SITE_DECODER, 1, 1}, 1, two));
    trace_set_key_len(trace, (HeadId){SITE_DECODER, 1, 1}, seen);
    assert_ptr_equal(folded(trace, 2, 2), two); /* another map */
    trace_set_key_len(trace, id, seen);
    assert_true(folded(trace, 2, 2)[0] == 1);
    trace_free(trace);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_very_blocks),
        cmocka_unit_test(test_other_spans),
        cmocka_unit_test(test_some_of_the_rows),
        cmocka_unit_test(test_until_the_map_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
