/* The reader over attention maps, and the names of heads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "model/trace/trace.h"

/* Encoder [2,3,4,4], no decoder, cross [1,2,3,5]. */
static Trace *make(void) {
    static const TraceShape shapes[SITE_COUNT] = {
        [SITE_ENCODER] = {2, 3, 4, 4}, [SITE_CROSS] = {1, 2, 3, 5}};
    Error error = {0};
    Trace *trace = trace_make(shapes, &error);
    if (!trace) fail_msg("%s", error.text);
    return trace;
}

static void test_new_trace(void **state) {
    (void)state;
    Trace *trace = make();
    TraceShape none = trace_shape(trace, SITE_DECODER), cross = trace_shape(trace, SITE_CROSS);
    assert_int_equal(none.layers + none.heads + none.queries + none.keys, 0);
    assert_int_equal(cross.layers, 1);
    assert_int_equal(cross.heads, 2);
    assert_int_equal(cross.queries, 3);
    assert_int_equal(cross.keys, 5);
    CellState cell = CELL_VALUE;
    assert_true(trace_cell(trace, (HeadId){SITE_CROSS, 0, 1}, 2, 4, &cell) == 0);
    assert_int_equal(cell, CELL_MASKED);
    assert_int_equal(trace_key_len(trace, (HeadId){SITE_ENCODER, 1, 2}, 3), 0);
    trace_free(trace);
    trace_free(NULL);
}

/* Rows lie `stride` apart; what lies between is not read into the map, and the map is a copy. */
static void test_write_and_read(void **state) {
    (void)state;
    enum { STRIDE = 8 };
    static const int key_len[3] = {5, 2, 0};
    HeadId id = {SITE_CROSS, 0, 1};
    Trace *trace = make();
    float rows[3 * STRIDE];
    for (int i = 0; i < 3 * STRIDE; i++)
        rows[i] = (float)i / 100;
    trace_write(trace, id, rows, STRIDE, key_len);
    memset(rows, 0, sizeof rows);
    for (int query = 0; query < 3; query++) {
        assert_int_equal(trace_key_len(trace, id, query), key_len[query]);
        for (int key = 0; key < 5; key++) {
            CellState cell;
            bool seen = key < key_len[query];
            float expected = seen ? (float)(query * STRIDE + key) / 100 : 0;
            assert_true(trace_cell(trace, id, query, key, &cell) == expected);
            assert_int_equal(cell, seen ? CELL_VALUE : CELL_MASKED);
            assert_true(trace_cell(trace, id, query, key, NULL) == expected);
        }
    }
    assert_int_equal(trace_key_len(trace, (HeadId){SITE_CROSS, 0, 0}, 0), 0); /* its neighbour */
    trace_free(trace);
}

/* Any stretch of a row is what its cells are, and no more than that is written. */
static void test_cells_at_once(void **state) {
    (void)state;
    enum { KEYS = 5 };
    static const int key_len[3] = {5, 2, 0};
    HeadId id = {SITE_CROSS, 0, 1};
    Trace *trace = make();
    float rows[3 * KEYS];
    for (int i = 0; i < 3 * KEYS; i++)
        rows[i] = (float)(i + 1) / 100;
    trace_write(trace, id, rows, KEYS, key_len);
    for (int query = 0; query < 3; query++)
        for (int first = 0; first <= KEYS; first++)
            for (int count = 0; count <= KEYS - first; count++) {
                float cells[KEYS + 1] = {-1, -1, -1, -1, -1, -1};
                trace_cells(trace, id, query, first, count, cells);
                for (int i = 0; i < count; i++)
                    assert_true(cells[i] == trace_cell(trace, id, query, first + i, NULL));
                assert_true(cells[count] == -1);
            }
    trace_free(trace);
}

static void test_no_lengths_is_all_keys(void **state) {
    (void)state;
    static const float rows[16] = {0.25f};
    HeadId id = {SITE_ENCODER, 1, 2};
    Trace *trace = make();
    trace_write(trace, id, rows, 4, NULL);
    for (int query = 0; query < 4; query++)
        assert_int_equal(trace_key_len(trace, id, query), 4);
    trace_free(trace);
}

static void assert_row(const Trace *trace, HeadId id, int query, const unsigned char *visible,
                       const float *weights, int keys) {
    int seen = 0, key_len = 0;
    float cells[16];
    for (int key = 0; key < keys; key++) {
        CellState cell;
        float weight = trace_cell(trace, id, query, key, &cell);
        assert_int_equal(trace_sees(trace, id, query, key), visible[key] != 0);
        assert_int_equal(cell, visible[key] ? CELL_VALUE : CELL_MASKED);
        assert_true(weight == (visible[key] ? weights[key] : 0));
        seen += visible[key] != 0;
        if (visible[key]) key_len = key + 1;
    }
    assert_int_equal(trace_seen(trace, id, query), seen);
    assert_int_equal(trace_key_len(trace, id, query), key_len);
    for (int first = 0; first <= keys; first++) {
        trace_cells(trace, id, query, first, keys - first, cells);
        for (int key = first; key < keys; key++)
            assert_true(cells[key - first] == (visible[key] ? weights[key] : 0));
    }
}

/* Every set of five keys, in each of three rows. */
static void test_any_visible_set(void **state) {
    (void)state;
    enum { QUERIES = 3, KEYS = 5 };
    HeadId id = {SITE_CROSS, 0, 1}, neighbour = {SITE_CROSS, 0, 0};
    float weights[QUERIES * KEYS];
    for (int i = 0; i < QUERIES * KEYS; i++)
        weights[i] = (float)(i + 1) / 100;
    Trace *trace = make();
    trace_write(trace, id, weights, KEYS, NULL);
    trace_write(trace, neighbour, weights, KEYS, NULL);
    assert_true(trace_is_prefix(trace, id));
    for (int set = 0; set < 1 << KEYS; set++) {
        unsigned char visible[QUERIES * KEYS];
        bool prefix = true;
        for (int i = 0; i < QUERIES * KEYS; i++) {
            int bits = set ^ (i / KEYS);
            visible[i] = (unsigned char)(bits >> (i % KEYS) & 1 ? 1 + i : 0);
            prefix = prefix && !(i % KEYS && visible[i] && !visible[i - 1]);
        }
        assert_true(trace_set_visible(trace, id, visible, NULL));
        assert_int_equal(trace_is_prefix(trace, id), prefix);
        for (int query = 0; query < QUERIES; query++)
            assert_row(trace, id, query, visible + query * KEYS, weights + query * KEYS, KEYS);
        assert_true(trace_shows(trace, id, CELL_VALUE));
        assert_true(trace_shows(trace, id, CELL_MASKED));
    }
    assert_true(trace_is_prefix(trace, neighbour));
    assert_true(trace_sees(trace, neighbour, 2, 4));
    static const int key_len[QUERIES] = {5, 2, 0};
    trace_set_key_len(trace, id, key_len);
    assert_true(trace_is_prefix(trace, id));
    assert_true(trace_sees(trace, id, 0, 4) && !trace_sees(trace, id, 1, 2));
    trace_free(trace);
}

/* A number that is none is found where it is seen, and not where it is not. */
static void test_visible_numbers(void **state) {
    (void)state;
    static const unsigned char hides[15] = {1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const unsigned char shows[15] = {0, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1};
    const float weights[15] = {0.5F, NAN};
    HeadId id = {SITE_CROSS, 0, 0};
    CellState cell;
    Trace *trace = make();
    trace_write(trace, id, weights, 5, NULL);
    assert_true(trace_shows(trace, id, CELL_NAN));
    assert_true(trace_set_visible(trace, id, hides, NULL));
    assert_false(trace_shows(trace, id, CELL_NAN));
    assert_true(trace_set_visible(trace, id, shows, NULL));
    assert_true(trace_shows(trace, id, CELL_NAN));
    assert_true(isnan(trace_cell(trace, id, 0, 1, &cell)));
    assert_int_equal(cell, CELL_NAN);
    trace_free(trace);
}

/* NaN and infinity are told apart from values. */
static void test_not_a_number(void **state) {
    (void)state;
    static const int key_len[4] = {4, 4, 4, 1};
    float rows[16] = {0.5f, NAN, INFINITY, 0.25f};
    rows[15] = 9; /* masked: not to be seen either */
    HeadId id = {SITE_ENCODER, 0, 0};
    Trace *trace = make();
    trace_write(trace, id, rows, 4, key_len);
    CellState cell;
    assert_true(isnan(trace_cell(trace, id, 0, 1, &cell)));
    assert_int_equal(cell, CELL_NAN);
    trace_cell(trace, id, 0, 2, &cell);
    assert_int_equal(cell, CELL_NAN);
    trace_free(trace);
}

static void test_head_names(void **state) {
    (void)state;
    static const struct {
        const char *text;
        HeadId id;
    } good[] = {
        {"encoder.0.0", {SITE_ENCODER, 0, 0}},
        {"decoder.3.12", {SITE_DECODER, 3, 12}},
        {"cross.1.2", {SITE_CROSS, 1, 2}},
        {"cross.99999.00007", {SITE_CROSS, 99999, 7}},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        HeadId id = {SITE_COUNT, -1, -1};
        assert_true(head_id_parse(good[i].text, &id));
        assert_int_equal(id.site, good[i].id.site);
        assert_int_equal(id.layer, good[i].id.layer);
        assert_int_equal(id.head, good[i].id.head);
    }
}

/* Nothing is guessed, and *id stays. */
static void test_bad_head_names(void **state) {
    (void)state;
    static const char *const bad[] = {
        "",           "cross",       "cross.",      "cross.1",        "cross.1.",
        "cross.1.2.", "cross.1.2 ",  "cross.1.2x",  " cross.1.2",     "cross. 1.2",
        "cross.1. 2", "cross.+1.2",  "cross.-1.2",  "cross.1.-2",     "cross..1.2",
        "cross1.2",   "Cross.1.2",   "decode.1.2",  "decoders.1.2",   "cross.a.2",
        "cross.1,2",  "cross.0x1.2", "cross.\t1.2", "cross.100000.1", "cross.1.4294967297",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        HeadId id = {SITE_DECODER, 5, 6};
        if (head_id_parse(bad[i], &id)) fail_msg("\"%s\" was read", bad[i]);
        assert_int_equal(id.site, SITE_DECODER);
        assert_int_equal(id.layer, 5);
        assert_int_equal(id.head, 6);
    }
}

static void test_keys_alike(void **state) {
    (void)state;
    const TraceShape shapes[SITE_COUNT] = {[SITE_CROSS] = {2, 3, 2, 4}};
    Trace *trace = trace_make(shapes, NULL);
    assert_non_null(trace);
    assert_int_equal(trace_keys_alike(trace, (HeadId){SITE_CROSS, 1, 2}), 1);
    trace_set_keys_alike(trace, (HeadId){SITE_CROSS, 1, 2}, 4);
    assert_int_equal(trace_keys_alike(trace, (HeadId){SITE_CROSS, 1, 2}), 4);
    assert_int_equal(trace_keys_alike(trace, (HeadId){SITE_CROSS, 1, 1}), 1);
    trace_free(trace);
}

static void test_same_head(void **state) {
    (void)state;
    HeadId id = {SITE_CROSS, 1, 2};
    assert_true(head_id_same(id, (HeadId){SITE_CROSS, 1, 2}));
    assert_false(head_id_same(id, (HeadId){SITE_DECODER, 1, 2}));
    assert_false(head_id_same(id, (HeadId){SITE_CROSS, 0, 2}));
    assert_false(head_id_same(id, (HeadId){SITE_CROSS, 1, 1}));
}

static void test_site_names(void **state) {
    (void)state;
    assert_string_equal(site_name(SITE_ENCODER), "encoder");
    assert_string_equal(site_name(SITE_DECODER), "decoder");
    assert_string_equal(site_name(SITE_CROSS), "cross");
    for (int i = 0; i < SITE_COUNT; i++) {
        Site site;
        assert_true(site_parse(site_name((Site)i), &site));
        assert_int_equal(site, i);
    }
    Site untouched = SITE_DECODER;
    assert_false(site_parse("cros", &untouched));
    assert_false(site_parse("cross.", &untouched));
    assert_false(site_parse("", &untouched));
    assert_int_equal(untouched, SITE_DECODER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new_trace),       cmocka_unit_test(test_write_and_read),
        cmocka_unit_test(test_cells_at_once),   cmocka_unit_test(test_no_lengths_is_all_keys),
        cmocka_unit_test(test_any_visible_set), cmocka_unit_test(test_visible_numbers),
        cmocka_unit_test(test_not_a_number),    cmocka_unit_test(test_head_names),
        cmocka_unit_test(test_bad_head_names),  cmocka_unit_test(test_keys_alike),
        cmocka_unit_test(test_same_head),       cmocka_unit_test(test_site_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
