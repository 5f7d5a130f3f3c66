/* A trace over maps that lie elsewhere: what is asked of the source, and what each cell is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "model/trace/trace.h"

enum { QUERIES = 3, KEYS = 300 };

typedef struct Elsewhere {
    int reads, done, freed;
    float wrong; /* stands in the last cell of cross.1.0 */
} Elsewhere;

/* A weight that tells its place. */
static float weight_at(HeadId id, int query, int key) {
    return (float)(id.layer * 10 + id.head) + (float)(query * KEYS + key) / 1024;
}

static void read_weights(const void *from, HeadId id, int query, int first, int count,
                         float *weights) {
    Elsewhere *elsewhere = (Elsewhere *)(uintptr_t)from;
    elsewhere->reads++;
    assert_true(first >= 0 && count >= 1 && first + count <= KEYS);
    for (int key = 0; key < count; key++)
        weights[key] = weight_at(id, query, first + key);
    if (id.layer == 1 && query == QUERIES - 1 && first + count == KEYS)
        weights[count - 1] = elsewhere->wrong;
}

/* Layer 2 is missing. */
static bool has_map(const void *from, HeadId id) {
    (void)from;
    return id.layer != 2;
}

static void count_done(const void *from) {
    ((Elsewhere *)(uintptr_t)from)->done++;
}

static void count_freed(void *from) {
    ((Elsewhere *)from)->freed++;
}

static Trace *over(Elsewhere *elsewhere) {
    static const TraceShape shapes[SITE_COUNT] = {[SITE_CROSS] = {3, 2, QUERIES, KEYS}};
    TraceSource source = {elsewhere, read_weights, has_map, count_done, count_freed};
    Error error = {0};
    Trace *trace = trace_over(shapes, &source, &error);
    if (!trace) fail_msg("%s", error.text);
    return trace;
}

static void test_cells_are_read_where_they_lie(void **state) {
    (void)state;
    static const int seen[QUERIES] = {KEYS, 2, 0};
    Elsewhere elsewhere = {.wrong = 0.5F};
    Trace *trace = over(&elsewhere);
    HeadId id = {SITE_CROSS, 0, 1};
    assert_int_equal(elsewhere.reads, 0);
    assert_int_equal(trace_key_len(trace, id, 2), KEYS);
    trace_set_key_len(trace, id, seen);
    for (int query = 0; query < QUERIES; query++) {
        float row[KEYS];
        trace_cells(trace, id, query, 0, KEYS, row);
        for (int key = 0; key < KEYS; key++) {
            CellState cell;
            float expected = key < seen[query] ? weight_at(id, query, key) : 0;
            assert_true(trace_cell(trace, id, query, key, &cell) == expected);
            assert_true(row[key] == expected);
            assert_int_equal(cell, key < seen[query] ? CELL_VALUE : CELL_MASKED);
        }
    }
    assert_int_equal(trace_key_len(trace, (HeadId){SITE_CROSS, 0, 0}, 2), KEYS); /* its neighbour */
    trace_free(trace);
    assert_int_equal(elsewhere.freed, 1);
}

static void test_a_missing_map(void **state) {
    (void)state;
    Elsewhere elsewhere = {0};
    Trace *trace = over(&elsewhere);
    HeadId id = {SITE_CROSS, 2, 0};
    CellState cell;
    float two[2];
    assert_true(isnan(trace_cell(trace, id, 1, 7, &cell)));
    assert_int_equal(cell, CELL_MISSING);
    trace_cells(trace, id, 0, 3, 2, two);
    assert_true(isnan(two[0]) && isnan(two[1]));
    assert_true(trace_shows(trace, id, CELL_MISSING));
    assert_false(trace_shows(trace, id, CELL_NAN));
    assert_false(trace_shows(trace, id, CELL_VALUE));
    assert_false(trace_shows(trace, (HeadId){SITE_CROSS, 1, 0}, CELL_MISSING));
    trace_free(trace);
}

/* Looked up once; a cell past what is seen does not count. */
static void test_what_a_map_shows(void **state) {
    (void)state;
    static const int seen[QUERIES] = {KEYS, KEYS, KEYS - 1};
    Elsewhere elsewhere = {.wrong = NAN};
    Trace *trace = over(&elsewhere);
    HeadId bad = {SITE_CROSS, 1, 0}, good = {SITE_CROSS, 0, 0}, cut = {SITE_CROSS, 1, 1};
    assert_true(trace_shows(trace, bad, CELL_NAN));
    assert_false(trace_shows(trace, bad, CELL_MASKED));
    int reads = elsewhere.reads;
    assert_true(trace_shows(trace, bad, CELL_NAN));
    assert_int_equal(elsewhere.reads, reads);
    assert_int_equal(elsewhere.done, 1);
    assert_false(trace_shows(trace, good, CELL_NAN));
    assert_true(trace_shows(trace, good, CELL_VALUE));
    trace_set_key_len(trace, cut, seen);
    assert_false(trace_shows(trace, cut, CELL_NAN));
    assert_true(trace_shows(trace, cut, CELL_MASKED));
    trace_set_numbers(trace, bad, true);
    assert_false(trace_shows(trace, bad, CELL_NAN));
    trace_free(trace);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells_are_read_where_they_lie),
        cmocka_unit_test(test_a_missing_map),
        cmocka_unit_test(test_what_a_map_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
