/* The pyramid that is made while a file is gone through: what a trace folds from the cells
 * themselves, bit by bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "data/arrays/npz_save.h"
#include "data/attention/attention_file.h"
#include "data/attention/map_blocks.h"
#include "tests/data/helper_files.h"
#include "tests/data/helper_weights.h"

/* --- a trace over one array ------------------------------------------------------------------- */

typedef struct Array2 {
    const float *numbers; /* [rows, columns], the same for each map */
    int columns;
    int reads;
} Array2;

static void read_array(const void *from, HeadId id, int query, int first, int count,
                       float *weights) {
    Array2 *array = (Array2 *)(uintptr_t)from;
    (void)id;
    array->reads++;
    memcpy(weights, array->numbers + (size_t)query * (size_t)array->columns + first,
           (size_t)count * sizeof *weights);
}

static Trace *trace_of(Array2 *array, TraceShape shape) {
    TraceShape shapes[SITE_COUNT] = {[SITE_ENCODER] = shape};
    TraceSource source = {.from = array, .read = read_array};
    Error error = {0};
    Trace *trace = trace_over(shapes, &source, &error);
    if (!trace) fail_msg("%s", error.text);
    return trace;
}

static void spans_of(TraceSpan *spans, int side, int level) {
    for (int i = 0; i << level < side; i++) {
        spans[i] = (TraceSpan){i << level, ((i + 1) << level) - 1};
        if (spans[i].last >= side) spans[i].last = side - 1;
    }
}

static int side_of(int cells, int level) {
    return (cells + (1 << level) - 1) >> level;
}

/* What the trace gives for a level at once, which must be what it folds row by row from the cells.
 */
static const float *assert_level(const Trace *trace, HeadId id, int level) {
    TraceShape shape = trace_shape(trace, id.site);
    int rows = side_of(shape.queries, level), width = side_of(shape.keys, level);
    TraceSpan *spans = malloc((size_t)(rows + width) * sizeof *spans);
    float *expected = malloc((size_t)width * sizeof *expected);
    spans_of(spans, shape.queries, level);
    spans_of(spans + rows, shape.keys, level);
    TraceColumns columns = trace_columns(spans + rows, width);
    trace_folded(trace, id, spans, rows, &columns); /* what is not lent may be kept only then */
    const float *found = trace_folded(trace, id, spans, rows, &columns);
    assert_non_null(found);
    for (int row = 0; row < rows; row++) {
        trace_fold(trace, id, spans[row], &columns, expected);
        for (int i = 0; i < width; i++) {
            float value = found[(size_t)row * (size_t)width + (size_t)i];
            if (!(value == expected[i] || (isnan(value) && isnan(expected[i]))))
                fail_msg("level %d, block %d, %d: %g instead of %g", level, row, i, (double)value,
                         (double)expected[i]);
        }
    }
    free(spans);
    free(expected);
    return found;
}

/* --- pyramids by themselves ------------------------------------------------------------------- */

/* Numbers of both signs, with ties, NaNs, infinities and whole blocks of nothing. */
static float *numbers_of(int rows, int columns) {
    float *numbers = malloc((size_t)rows * (size_t)columns * sizeof *numbers);
    assert_non_null(numbers);
    unsigned state = 1;
    for (int i = 0; i < rows * columns; i++) {
        state = state * 1664525 + 1013904223;
        numbers[i] = (float)((int)(state >> 16) % 1000 - 500) / 8;
        if (state % 101 == 0) numbers[i] = NAN;
        if (state % 1009 == 0) numbers[i] = INFINITY;
        if (i / columns < 40 && i % columns < 40) numbers[i] = NAN;
    }
    return numbers;
}

static void assert_pyramid(TraceShape shape, int first, int last) {
    float *numbers = numbers_of(shape.queries, shape.keys);
    Array2 array = {numbers, shape.keys, 0};
    Trace *trace = trace_of(&array, shape);
    MapBlocks blocks;
    map_blocks_make(&blocks, shape);
    assert_int_equal(blocks.first, first);
    assert_int_equal(blocks.last, last);
    float *room = malloc((size_t)map_blocks_width(&blocks) * sizeof *room);
    int map = shape.layers * shape.heads - 1;
    for (int query = 0; query < shape.queries; query += BLOCKS_ROWS) {
        int count = shape.queries - query < BLOCKS_ROWS ? shape.queries - query : BLOCKS_ROWS;
        map_blocks_add(&blocks, map, query, count, numbers + (size_t)query * (size_t)shape.keys,
                       room);
    }
    map_blocks_end(&blocks, map);
    HeadId id = {SITE_ENCODER, shape.layers - 1, shape.heads - 1};
    map_blocks_lend(&blocks, trace, id);
    for (int level = first; level <= last; level++) {
        size_t size = (size_t)side_of(shape.queries, level) * (size_t)side_of(shape.keys, level);
        assert_ptr_equal(assert_level(trace, id, level), blocks.levels[level] + (size_t)map * size);
    }
    trace_free(trace);
    map_blocks_free(&blocks);
    free(numbers);
    free(room);
}

static void test_pyramids(void **state) {
    (void)state;
    assert_pyramid((TraceShape){1, 2, 256, 256}, 1, 3);
    assert_pyramid((TraceShape){2, 2, 151, 131}, 1, 2);
    assert_pyramid((TraceShape){1, 1, 37, 1500}, 1, 5);
    assert_pyramid((TraceShape){12, 12, 512, 510}, 2, 4);
    assert_pyramid((TraceShape){16, 16, 601, 499}, 3, 4); /* more rows a block than at once */
}

static void test_small_maps_have_none(void **state) {
    (void)state;
    MapBlocks blocks;
    map_blocks_make(&blocks, (TraceShape){12, 12, 100, 100});
    assert_int_equal(blocks.first, 0);
    assert_int_equal(map_blocks_width(&blocks), 0);
    float number = 1;
    map_blocks_add(&blocks, 0, 0, 1, &number, &number);
    map_blocks_end(&blocks, 0);
    map_blocks_free(&blocks);
}

/* --- of files --------------------------------------------------------------------------------- */

enum { HEADS = 3, SIDE = 150, CELLS = HEADS * SIDE * SIDE };

static float weights[CELLS];

static float *cell(int head, int query, int key) {
    return weights + ((size_t)head * SIDE + (size_t)query) * SIDE + key;
}

static void fill(bool causal, int keys) {
    fill_weights(weights, HEADS, SIDE, causal, keys);
}

/* Opens the weights and compares all levels of all maps. With `lent`, they must have been lent. */
static void assert_file(const TensorText *text, const Tensor *key_len, Site site, bool lent) {
    Tensor tensors[2] = {{"attn", TENSOR_F32, 4, {1, HEADS, SIDE, SIDE}, weights}};
    if (site == SITE_CROSS) tensors[0].name = "cross";
    if (key_len) tensors[1] = *key_len;
    const AttentionFileOptions options = {.example = -1};
    Error error = {0};
    AttentionFile file;
    const char *path = in_folder("a.safetensors");
    if (!safetensors_save(path, tensors, key_len ? 2 : 1, text, text ? 1 : 0, &error) ||
        !attention_file_open(&file, path, &options, &error))
        fail_msg("%s", error.text);
    assert_int_equal(trace_shape(file.trace, site).keys, SIDE);
    for (int head = 0; head < HEADS; head++) {
        HeadId id = {site, 0, head};
        const float *first = assert_level(file.trace, id, 1);
        assert_level(file.trace, id, 2);
        assert_level(file.trace, id, 3);
        assert_level(file.trace, id, 4);
        if (lent) /* what is kept was lost by now, and would be made anew */
            assert_ptr_equal(first, assert_level(file.trace, id, 1));
    }
    attention_file_free(&file);
}

static void test_of_a_file(void **state) {
    (void)state;
    fill(false, SIDE);
    assert_file(NULL, NULL, SITE_ENCODER, true);
    fill(true, SIDE);
    assert_file(NULL, NULL, SITE_DECODER, true);
    fill(true, SIDE - 21);
    assert_file(NULL, NULL, SITE_DECODER, true);
    fill(false, 50);
    assert_file(NULL, NULL, SITE_ENCODER, true);
}

static void test_of_a_file_with_nans(void **state) {
    (void)state;
    fill(false, SIDE);
    *cell(1, 70, 71) = NAN;
    *cell(1, 70, 73) = INFINITY;
    assert_file(NULL, NULL, SITE_ENCODER, true);
    fill(true, SIDE); /* beside a cell that is masked, a block of nothing but NaNs */
    *cell(1, 70, 70) = *cell(1, 71, 70) = *cell(1, 71, 71) = NAN;
    assert_file(NULL, NULL, SITE_DECODER, false);
    for (int key = 0; key < SIDE; key++)
        *cell(1, 70, key) = NAN;
    assert_file(NULL, NULL, SITE_DECODER, false);
}

/* Then masked cells are other than zeros, and do not count. */
static void test_of_a_file_with_lengths(void **state) {
    (void)state;
    static int32_t seen[SIDE];
    const TensorText text = {"enc_valid_lens", "77"};
    fill(false, SIDE);
    assert_file(&text, NULL, SITE_ENCODER, false);
    for (int query = 0; query < SIDE; query++)
        seen[query] = query == 3 ? SIDE - 1 : SIDE;
    const Tensor key_len = {"cross.0.2.key_len", TENSOR_I32, 1, {SIDE}, seen};
    assert_file(NULL, &key_len, SITE_CROSS, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pyramids),
        cmocka_unit_test(test_small_maps_have_none),
        cmocka_unit_test_setup_teardown(test_of_a_file, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_of_a_file_with_nans, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_of_a_file_with_lengths, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
