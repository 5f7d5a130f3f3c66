/* Folding maps into spans of rows and columns, against a search cell by cell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/trace/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const HeadId cross = {SITE_CROSS, 0, 0};

/* The strongest of some cells, one by one. */
static float strongest(const TraceCells *cells, TraceSpan rows, TraceSpan columns) {
    float strong = NAN;
    for (int row = rows.first; row <= rows.last; row++)
        for (int column = columns.first; column <= columns.last; column++) {
            float value = cells->values[(size_t)row * cells->stride + (size_t)column];
            if (cells->seen && column >= cells->seen[row]) break;
            size_t word = (size_t)row * cells->hidden_stride + (size_t)column / 64;
            if (cells->hidden && (cells->hidden[word] >> (column % 64) & 1)) continue;
            if (isnan(value) || (cells->finite && isinf(value))) continue;
            bool stronger = isnan(strong) || fabsf(value) > fabsf(strong) ||
                            (fabsf(value) == fabsf(strong) && value > strong);
            if (stronger) strong = value;
        }
    return strong;
}

static bool same(float a, float b) {
    return a == b || (isnan(a) && isnan(b));
}

/* Few values, so that many tie, or many; and such as are none. */
static void fill(float *values, int count, int steps, int special) {
    for (int i = 0; i < count; i++) {
        values[i] = (float)(rand() % (2 * steps + 1) - steps) / (float)steps;
        if (rand() % 2000 >= special) continue;
        static const float specials[] = {NAN, NAN, NAN, INFINITY, -INFINITY, -0.0F, 0, 1e-42F};
        values[i] = specials[rand() % 8];
    }
}

/* About as wide as each other, with some that are not: = how many. */
static int make_spans(TraceSpan *spans, int columns, float wide, bool odd) {
    int count = 0;
    float begin = (float)(rand() % 8);
    for (; begin + wide <= (float)columns; begin += wide) {
        TraceSpan span = {(int)begin, (int)(begin + wide) - 1};
        if (odd && rand() % 10 == 0 && span.first < columns - 9)
            span.last = span.first + rand() % 9;
        if (span.last < span.first) span.last = span.first;
        if (count > 0 && span.last < spans[count - 1].last) span.last = spans[count - 1].last;
        spans[count++] = span;
    }
    return count;
}

static void read_from(const void *from, int row, int first, int count, float *values) {
    const TraceCells *cells = from;
    memcpy(values, cells->values + (size_t)row * cells->stride + first,
           (size_t)count * sizeof *values);
}

static void check_fold(const TraceCells *cells, TraceSpan rows, const TraceSpan *spans, int count) {
    float *folded = malloc((size_t)count * sizeof *folded);
    assert_non_null(folded);
    TraceColumns columns = trace_columns(spans, count);
    TraceCells elsewhere = *cells;
    elsewhere.values = NULL;
    elsewhere.read = read_from;
    elsewhere.from = cells;
    for (int kind = 0; kind < 2; kind++) {
        SIMD_PICK(trace_fold_cells)(kind ? &elsewhere : cells, rows, &columns, folded);
        for (int i = 0; i < count; i++)
            if (!same(folded[i], strongest(cells, rows, spans[i])))
                fail_msg("rows %d to %d, columns %d to %d: %g", rows.first, rows.last,
                         spans[i].first, spans[i].last, (double)folded[i]);
    }
    free(folded);
}

/* Widths from part of a cell to thousands, rows by ones and by dozens, with masks of all shapes. */
static void test_random_spans(void **state) {
    (void)state;
    enum { ROWS = 40, COLUMNS = 5000, WORDS = (COLUMNS + 63) / 64 };
    static const float widths[] = {1,    1.3F, 2,     2.5F, 3,    4,    5.3F,
                                   7.9F, 8,    17.1F, 64,   1000, 2047, 4500};
    float *values = malloc(sizeof(float) * ROWS * COLUMNS);
    TraceSpan *spans = malloc(sizeof(TraceSpan) * COLUMNS);
    uint64_t *hidden = malloc(sizeof(uint64_t) * ROWS * WORDS);
    int seen[ROWS];
    assert_non_null(values);
    assert_non_null(hidden);
    assert_non_null(spans);
    for (int round = 0; round < 56; round++) {
        fill(values, ROWS * COLUMNS, round % 3 ? 1000 : 1 << 23,
             round % 3 == 0   ? 0
             : round % 3 == 1 ? 4
                              : 1500);
        for (int row = 0; row < ROWS; row++)
            seen[row] = round % 4 < 2 ? rand() % (COLUMNS + 1) : row * 130;
        for (int word = 0; word < ROWS * WORDS; word++)
            hidden[word] = rand() % 3 ? 0 : UINT64_MAX >> rand() % 64 << rand() % 64;
        TraceCells cells = {.values = values,
                            .stride = COLUMNS,
                            .seen = round % 2 ? seen : NULL,
                            .hidden = round % 8 < 3 ? hidden : NULL,
                            .hidden_stride = WORDS,
                            .finite = round % 5 < 3};
        int count = make_spans(spans, COLUMNS, widths[round % 14], round % 7 > 3);
        int first = rand() % ROWS, last = first + rand() % (round % 2 ? 8 : ROWS);
        check_fold(&cells, (TraceSpan){first, last < ROWS ? last : ROWS - 1}, spans, count);
    }
    free(values);
    free(spans);
    free(hidden);
}

/* One span of all columns, of a row that nobody sees, and of one that is seen in part. */
static void test_nothing(void **state) {
    (void)state;
    static const float values[8] = {1, -2, 3, 4, NAN, INFINITY, -INFINITY, NAN};
    static const int seen[2] = {0, 3};
    TraceCells cells = {.values = values, .stride = 4, .seen = seen, .finite = true};
    TraceSpan all = {0, 3};
    TraceColumns columns = trace_columns(&all, 1);
    float folded = 0;
    for (int row = 0; row < 2; row++) {
        SIMD_PICK(trace_fold_cells)(&cells, (TraceSpan){row, row}, &columns, &folded);
        assert_true(isnan(folded));
    }
    cells.seen = NULL;
    SIMD_PICK(trace_fold_cells)(&cells, (TraceSpan){0, 1}, &columns, &folded);
    assert_true(folded == 4);
    cells.finite = false;
    SIMD_PICK(trace_fold_cells)(&cells, (TraceSpan){0, 1}, &columns, &folded);
    assert_true(folded == INFINITY);
}

/* One span of thousands of columns, where a single value is not 0. */
static void test_wide(void **state) {
    (void)state;
    enum { COLUMNS = 5000 };
    static float values[2 * COLUMNS];
    static const TraceSpan all = {0, COLUMNS - 1};
    TraceColumns columns = trace_columns(&all, 1);
    TraceCells cells = {.values = values, .stride = COLUMNS};
    for (int at = 0; at < 2 * COLUMNS; at += 7) {
        float folded = 0;
        values[at] = -1;
        SIMD_PICK(trace_fold_cells)(&cells, (TraceSpan){0, 1}, &columns, &folded);
        assert_true(folded == -1);
        values[at] = 0;
    }
}

static Trace *make_trace(float *weights) {
    static const TraceShape shapes[SITE_COUNT] = {[SITE_CROSS] = {1, 1, 3, 5}};
    static const int key_len[3] = {5, 5, 1};
    Error error = {0};
    Trace *trace = trace_make(shapes, &error);
    assert_non_null(trace);
    trace_write(trace, cross, weights, 5, key_len);
    return trace;
}

/* By hand; kept from the second time on, for the two sizes that were asked for last. */
static void test_kept(void **state) {
    (void)state;
    float weights[15] = {1, -2, 3, 3, NAN, 2, 2, -3, 0, INFINITY, NAN, 7, 1, 1, 9};
    Trace *trace = make_trace(weights);
    static const TraceSpan pairs[3] = {{0, 1}, {2, 3}, {4, 4}}, rows[2] = {{0, 1}, {2, 2}};
    static const TraceSpan whole = {0, 4}, all = {0, 2}, others[3] = {{0, 0}, {1, 1}, {2, 3}};
    TraceColumns three = trace_columns(pairs, 3), one = trace_columns(&whole, 1);
    TraceColumns moved = trace_columns(others, 3);
    assert_null(trace_folded(trace, cross, rows, 2, &three));
    const float *folded = trace_folded(trace, cross, rows, 2, &three);
    assert_non_null(folded);
    assert_true(folded[0] == 2 && folded[1] == 3 && isnan(folded[2]));
    assert_true(isnan(folded[3]) && isnan(folded[4]) && isnan(folded[5]));
    float row[3];
    trace_fold(trace, cross, rows[0], &three, row);
    assert_memory_equal(row, folded, 2 * sizeof *row);
    assert_null(trace_folded(trace, cross, &all, 1, &one));
    const float *single = trace_folded(trace, cross, &all, 1, &one);
    assert_true(*single == 3);
    assert_ptr_equal(trace_folded(trace, cross, rows, 2, &three), folded);
    assert_ptr_equal(trace_folded(trace, cross, &all, 1, &one), single);
    static const TraceSpan less = {0, 1};
    assert_null(trace_folded(trace, cross, &less, 1, &one));
    assert_ptr_equal(trace_folded(trace, cross, &all, 1, &one), single);
    /* a third, as many spans of other cells, takes the place of the first */
    assert_null(trace_folded(trace, cross, rows, 2, &moved));
    assert_ptr_equal(trace_folded(trace, cross, &all, 1, &one), single);
    assert_true(trace_folded(trace, cross, rows, 2, &moved)[1] == 2);
    assert_null(trace_folded(trace, cross, rows, 2, &three));
    trace_free(trace);
}

/* A map that changes is folded anew at once, for it was asked for before. */
static void test_changed(void **state) {
    (void)state;
    float weights[15] = {1, -2, 3, 3, NAN, 2, 2, -3, 0, INFINITY, NAN, 7, 1, 1, 9};
    static const int none[3] = {0, 0, 0};
    static const TraceSpan pairs[3] = {{0, 1}, {2, 3}, {4, 4}}, rows[2] = {{0, 1}, {2, 2}};
    TraceColumns three = trace_columns(pairs, 3);
    Trace *trace = make_trace(weights);
    trace_folded(trace, cross, rows, 2, &three);
    assert_true(trace_folded(trace, cross, rows, 2, &three)[0] == 2);
    weights[5] = 4;
    trace_write(trace, cross, weights, 5, NULL);
    assert_true(trace_folded(trace, cross, rows, 2, &three)[0] == 4);
    trace_set_key_len(trace, cross, none);
    assert_true(isnan(trace_folded(trace, cross, rows, 2, &three)[0]));
    trace_free(trace);
}

/* Folds of a map count the cells that are seen, and change with them. */
static void test_any_visible_set(void **state) {
    (void)state;
    static const unsigned char visible[15] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0};
    float weights[15] = {9, -2, 9, 3, NAN, 2, 9, -3, 0, INFINITY, NAN, 7, 1, 1, 9};
    static const TraceSpan pairs[3] = {{0, 1}, {2, 3}, {4, 4}}, rows[2] = {{0, 1}, {2, 2}};
    TraceColumns three = trace_columns(pairs, 3);
    Trace *trace = make_trace(weights);
    trace_folded(trace, cross, rows, 2, &three);
    assert_true(trace_folded(trace, cross, rows, 2, &three)[0] == 9);
    assert_true(trace_set_visible(trace, cross, visible, NULL));
    const float *folded = trace_folded(trace, cross, rows, 2, &three);
    assert_true(folded[0] == 2 && folded[1] == 3); /* of 3 and -3 the positive one */
    for (int i = 2; i < 6; i++)
        assert_true(isnan(folded[i]));
    float row[3];
    trace_fold(trace, cross, rows[0], &three, row);
    assert_true(row[0] == 2 && row[1] == 3 && isnan(row[2]));
    trace_free(trace);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_spans), cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_wide),         cmocka_unit_test(test_kept),
        cmocka_unit_test(test_changed),      cmocka_unit_test(test_any_visible_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
