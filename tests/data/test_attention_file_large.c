/* Attention so large that two threads go through it, read in blocks: the same is found of it as of
 * a small file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "data/attention/attention_file.h"
#include "data/files/numbers.h"
#include "tests/data/helper_files.h"
#include "tests/data/helper_weights.h"

enum { HEADS = 5, SIDE = 512, ROW_COUNT = HEADS * SIDE, CELLS = ROW_COUNT * SIDE };

static float *maps; /* [HEADS, SIDE, SIDE] */

static float *cell(int head, int query, int key) {
    return maps + ((size_t)head * SIDE + (size_t)query) * SIDE + key;
}

static void fill(bool causal, int keys) {
    fill_weights(maps, HEADS, SIDE, causal, keys);
}

static int make_maps(void **state) {
    maps = malloc(CELLS * sizeof *maps);
    return maps ? make_folder(state) : -1;
}

static int free_maps(void **state) {
    free(maps);
    return remove_folder(state);
}

/* An npy of numbers of `size` bytes each, its data from byte `start` on. */
static const char *write_npy(const char *descr, const void *numbers, size_t size, size_t start) {
    const char *path = in_folder("large.npy");
    char *bytes = malloc(start + CELLS * size);
    assert_non_null(bytes);
    memset(bytes, ' ', start);
    memcpy(bytes, "\x93NUMPY\x01\0", 8);
    bytes[8] = (char)(start - 10);
    bytes[9] = 0;
    int length = snprintf(bytes + 10, start - 10,
                          "{'descr': '%s', 'fortran_order': False, 'shape': (1, %d, %d, %d), }",
                          descr, HEADS, SIDE, SIDE);
    bytes[10 + length] = ' ';
    bytes[start - 1] = '\n';
    memcpy(bytes + start, numbers, CELLS * size);
    write_bytes(path, bytes, start + CELLS * size);
    free(bytes);
    return path;
}

static AttentionFile opened(const char *path, bool transposed) {
    AttentionFileOptions options = {.example = -1, .transposed = transposed};
    AttentionFile file;
    Error error = {0};
    if (!attention_file_open(&file, path, &options, &error)) fail_msg("%s", error.text);
    return file;
}

static AttentionFile opened_maps(void) {
    return opened(write_npy("<f4", maps, sizeof *maps, 128), false);
}

static void assert_maps(const AttentionFile *file, float within) {
    float row[SIDE];
    for (int i = 0; i < ROW_COUNT; i++) {
        trace_cells(file->trace, (HeadId){SITE_ENCODER, 0, i / SIDE}, i % SIDE, 0, SIDE, row);
        for (int key = 0; key < SIDE; key++)
            if (!(fabsf(row[key] - maps[(size_t)i * SIDE + (size_t)key]) <= within))
                fail_msg("head %d, query %d, key %d", i / SIDE, i % SIDE, key);
    }
}

static void test_the_same_cells(void **state) {
    (void)state;
    fill(false, SIDE);
    AttentionFile file = opened_maps();
    assert_maps(&file, 0);
    attention_file_free(&file);
    file = opened(write_npy("<f4", maps, sizeof *maps, 101), false); /* no float's place */
    assert_maps(&file, 0);
    attention_file_free(&file);
}

static void test_other_types(void **state) {
    (void)state;
    fill(false, SIDE);
    double *doubles = malloc(CELLS * sizeof *doubles);
    unsigned char *turned = malloc(CELLS * sizeof *maps);
    for (size_t i = 0; i < CELLS; i++) {
        doubles[i] = (double)maps[i];
        for (size_t byte = 0; byte < sizeof *maps; byte++)
            turned[sizeof *maps * i + byte] = ((unsigned char *)&maps[i])[sizeof *maps - 1 - byte];
    }
    AttentionFile file = opened(write_npy("<f8", doubles, sizeof *doubles, 128), false);
    assert_maps(&file, 0);
    assert_string_equal(file.note, "");
    attention_file_free(&file);
    file = opened(write_npy(">f4", turned, sizeof *maps, 128), false);
    assert_maps(&file, 0);
    assert_string_equal(file.note, "");
    attention_file_free(&file);
    free(doubles);
    free(turned);
}

static void test_swapped_axes(void **state) {
    (void)state;
    fill(false, SIDE);
    float *swapped = malloc(CELLS * sizeof *swapped);
    for (int head = 0; head < HEADS; head++)
        for (int query = 0; query < SIDE; query++)
            for (int key = 0; key < SIDE; key++)
                swapped[((size_t)head * SIDE + (size_t)key) * SIDE + (size_t)query] =
                    *cell(head, query, key);
    const char *path = write_npy("<f4", swapped, sizeof *swapped, 128);
    AttentionFile file = opened(path, true);
    assert_maps(&file, 0);
    assert_string_equal(file.note, "");
    attention_file_free(&file);
    file = opened(path, false);
    assert_non_null(strstr(file.note, "encoder.0.0: columns sum to 1"));
    attention_file_free(&file);
    free(swapped);
}

static void test_masks(void **state) {
    (void)state;
    fill(true, SIDE - 3);
    AttentionFile file = opened_maps();
    for (int query = 0; query < SIDE; query++)
        assert_int_equal(trace_key_len(file.trace, (HeadId){SITE_DECODER, 0, 2}, query),
                         query + 1 < SIDE - 3 ? query + 1 : SIDE - 3);
    assert_string_equal(file.note, "");
    attention_file_free(&file);
}

/* One weight in one map, whichever thread looks at it, and nothing is masked in any. */
static void test_a_weight_behind_the_masks(void **state) {
    (void)state;
    fill(true, SIDE - 3);
    for (int head = 0; head < HEADS; head++) {
        HeadId id = {SITE_ENCODER, 0, (head + 2) % HEADS};
        *cell(head, 100, 101) = 1e-9F;
        AttentionFile file = opened_maps();
        assert_int_equal(trace_key_len(file.trace, id, 0), SIDE - 3);
        attention_file_free(&file);
        *cell(head, 100, 101) = 0;
        *cell(head, 0, SIDE - 1) = 1e-9F;
        file = opened_maps();
        assert_int_equal(trace_key_len(file.trace, id, 0), SIDE);
        attention_file_free(&file);
        *cell(head, 0, SIDE - 1) = 0;
    }
}

/* The first map that is odd is named, whichever thread found one first. */
static void test_sums_and_nans(void **state) {
    (void)state;
    fill(false, SIDE);
    *cell(3, 17, 400) += 1;
    *cell(3, 20, 400) += 1;
    *cell(4, 2, 3) += 1;
    *cell(1, 5, 6) = NAN;
    *cell(2, 511, 511) = INFINITY;
    AttentionFile file = opened_maps();
    assert_non_null(strstr(file.note, "encoder.0.2: row 511 sums to inf"));
    for (int head = 0; head < HEADS; head++)
        assert_int_equal(trace_shows(file.trace, (HeadId){SITE_ENCODER, 0, head}, CELL_NAN),
                         head == 1 || head == 2);
    attention_file_free(&file);
    *cell(2, 511, 511) = 0;
    for (int key = 0; key < SIDE; key++)
        *cell(2, 511, key) = 1.0F / SIDE;
    file = opened_maps();
    assert_non_null(strstr(file.note, "encoder.0.3: row 17 sums to 2, not to 1"));
    attention_file_free(&file);
}

/* Then its numbers are none. */
static void test_a_file_that_became_shorter(void **state) {
    (void)state;
    fill(false, SIDE);
    AttentionFile file = opened_maps();
    assert_int_equal(truncate(in_folder("large.npy"), 1 << 20), 0);
    CellState cell_state;
    trace_cell(file.trace, (HeadId){SITE_ENCODER, 0, 4}, 300, 300, &cell_state);
    assert_int_equal(cell_state, CELL_NAN);
    attention_file_free(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_same_cells, make_maps, free_maps),
        cmocka_unit_test_setup_teardown(test_other_types, make_maps, free_maps),
        cmocka_unit_test_setup_teardown(test_swapped_axes, make_maps, free_maps),
        cmocka_unit_test_setup_teardown(test_masks, make_maps, free_maps),
        cmocka_unit_test_setup_teardown(test_a_weight_behind_the_masks, make_maps, free_maps),
        cmocka_unit_test_setup_teardown(test_sums_and_nans, make_maps, free_maps),
        cmocka_unit_test_setup_teardown(test_a_file_that_became_shorter, make_maps, free_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
