/* Safetensors files: every number type read right, and all that the format forbids refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>

#include "data/arrays/safetensors.h"
#include "data/arrays/safetensors_save.h"
#include "tests/data/helper_files.h"

/* --- what is read ----------------------------------------------------------------------------- */

/* Opens a file of this header and data. */
static Safetensors opened(const char *header, const void *data, size_t data_size) {
    Safetensors file;
    Error error = {0};
    size_t size;
    unsigned char *bytes = file_of(header, data, data_size, &size);
    if (!safetensors_over(&file, "file", bytes, size, &error)) fail_msg("%s", error.text);
    file.arrays.held = ARRAYS_OWNED; /* freed with the file */
    return file;
}

/* Reads the one tensor of a file: `count` numbers that are exactly `expected` (NaN for NaN). */
static void assert_numbers(const char *type, const void *data, size_t data_size,
                           const double *expected, int count) {
    char header[200];
    real numbers[16];
    snprintf(header, sizeof header,
             "{\"t\":{\"dtype\":\"%s\",\"shape\":[%d],\"data_offsets\":[0,%zu]}}", type, count,
             data_size);
    Safetensors file = opened(header, data, data_size);
    const Array *tensor = arrays_find(&file.arrays, "t");
    assert_non_null(tensor);
    assert_string_equal(tensor_type_name(tensor->type), type);
    assert_int_equal(tensor->count, count);
    assert_int_equal((size_t)tensor->count * number_size(tensor->type), data_size);
    assert_true(array_read_real(tensor, numbers));
    for (int i = 0; i < count; i++)
        if (isnan(expected[i]) ? !isnan(numbers[i]) : numbers[i] != (real)expected[i])
            fail_msg("%s: number %d is %.17g", type, i, (double)numbers[i]);
    safetensors_close(&file);
}

static void test_f32_and_f64(void **state) {
    (void)state;
    static const float single[] = {0, 1, -2.5F, FLT_MAX, FLT_MIN, 1e-45F};
    static const double wide[] = {0, 1, -2.5, 0.1, 1e30, -1e-30};
    double expected[6];
    for (int i = 0; i < 6; i++)
        expected[i] = (double)single[i];
    assert_numbers("F32", single, sizeof single, expected, 6);
    assert_numbers("F64", wide, sizeof wide, wide, 6);
}

/* The values are those of IEEE 754's table: 1, -2, the largest, the smallest normal, the largest
 * and the smallest subnormal, both zeros, 1/3 rounded, infinities, NaN. */
static void test_f16(void **state) {
    (void)state;
    static const uint16_t halves[] = {0x3C00, 0xC000, 0x7BFF, 0x0400, 0x03FF, 0x0001,
                                      0x0000, 0x8000, 0x3555, 0x7C00, 0xFC00, 0x7E00};
    const double expected[] = {
        1, -2,   65504,         ldexp(1, -14),    ldexp(1023, -24),  ldexp(1, -24),
        0, -0.0, 1365 / 4096.0, (double)INFINITY, -(double)INFINITY, (double)NAN};
    assert_numbers("F16", halves, sizeof halves, expected, 12);
}

/* The upper half of a float's bits. */
static void test_bf16(void **state) {
    (void)state;
    static const uint16_t halves[] = {0x3F80, 0xC000, 0x3E80, 0x7F80, 0x7FC0, 0x4049};
    static const double expected[] = {1, -2, 0.25, (double)INFINITY, (double)NAN, 3.140625};
    assert_numbers("BF16", halves, sizeof halves, expected, 6);
}

static void test_whole_numbers_are_no_weights(void **state) {
    (void)state;
    static const int32_t data[2] = {1, 2};
    real numbers[2];
    Safetensors file = opened("{\"t\":{\"dtype\":\"I32\",\"shape\":[2],\"data_offsets\":[0,8]}}",
                              data, sizeof data);
    assert_false(array_read_real(&file.arrays.arrays[0], numbers));
    safetensors_close(&file);
}

static void test_shapes_and_texts(void **state) {
    (void)state;
    static const float data[7] = {1, 2, 3, 4, 5, 6, 7};
    Safetensors file =
        opened("{\"__metadata__\":{\"key\":\"text\",\"empty\":\"\"},"
               "\"b\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[4,28]},"
               "\"none\":{\"dtype\":\"F32\",\"shape\":[0,5],\"data_offsets\":[28,28]},"
               "\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}  ",
               data, sizeof data);
    real numbers[6];
    const Array *b = arrays_find(&file.arrays, "b"), *a = arrays_find(&file.arrays, "a");
    assert_int_equal(arrays_count_numbers(&file.arrays), 3);
    assert_int_equal(b->rank, 2);
    assert_int_equal(b->shape[0], 2);
    assert_int_equal(b->shape[1], 3);
    assert_true(array_read_real(b, numbers));
    assert_true(numbers[0] == 2 && numbers[5] == 7);
    assert_int_equal(a->rank, 0);
    assert_true(array_read_real(a, numbers));
    assert_true(numbers[0] == 1);
    assert_int_equal(arrays_find(&file.arrays, "none")->count, 0);
    assert_null(arrays_find(&file.arrays, "c"));
    assert_string_equal(arrays_find_text(&file.arrays, "key"), "text");
    assert_string_equal(arrays_find_text(&file.arrays, "empty"), "");
    assert_null(arrays_find_text(&file.arrays, "none"));
    safetensors_close(&file);
    file = opened("{}", NULL, 0);
    assert_int_equal(arrays_count_numbers(&file.arrays), 0);
    assert_null(arrays_find_text(&file.arrays, "key"));
    safetensors_close(&file);
}

static void test_saved_file_comes_back(void **state) {
    (void)state;
    static const double wide[2] = {0.1, -7};
    static const int64_t whole[1] = {INT64_MIN};
    const Tensor tensors[] = {
        {.name = "a \"quoted\" name",
         .type = TENSOR_F64,
         .rank = 2,
         .shape = {2, 1},
         .bytes = wide},
        {.name = "b", .type = TENSOR_I64, .rank = 1, .shape = {1}, .bytes = whole},
    };
    const TensorText texts[] = {{"key", "a\n\"b\"\xC3\xA4"}};
    Safetensors file;
    Error error = {0};
    const char *path = in_folder("f.safetensors");
    if (!safetensors_save(path, tensors, 2, texts, 1, &error)) fail_msg("%s", error.text);
    size_t size;
    unsigned char *bytes = read_bytes(path, &size);
    assert_int_equal(bytes[0] % 8, 0); /* the data is aligned */
    free(bytes);
    if (!safetensors_open(&file, path, &error) || !safetensors_read_numbers(&file, &error))
        fail_msg("%s", error.text);
    assert_int_equal(arrays_count_numbers(&file.arrays), 2);
    assert_memory_equal(arrays_find(&file.arrays, tensors[0].name)->bytes, wide, sizeof wide);
    assert_memory_equal(arrays_find(&file.arrays, "b")->bytes, whole, sizeof whole);
    assert_string_equal(arrays_find_text(&file.arrays, "key"), texts[0].text);
    safetensors_close(&file);
}

/* --- what is refused -------------------------------------------------------------------------- */

static void refuse_bytes(const void *bytes, size_t size, const char *reason) {
    Safetensors file;
    Error error = {0};
    if (safetensors_over(&file, "file", bytes, size, &error))
        fail_msg("read, but expected: %s", reason);
    assert_one_line(&error);
    if (strncmp(error.text, "file: ", 6) != 0 || !strstr(error.text, reason))
        fail_msg("'%s' lacks '%s'", error.text, reason);
    assert_null(file.arrays.arrays);
    assert_null(file.arrays.bytes);
}

/* A header before eight zero bytes. */
static void refuse(const char *header, const char *reason) {
    static const char data[8] = {0};
    size_t size;
    unsigned char *bytes = file_of(header, data, sizeof data, &size);
    refuse_bytes(bytes, size, reason);
    free(bytes);
}

#define F32_PAIR(name, offsets)                                                                    \
    "\"" name "\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":" offsets "}"

static void test_layout(void **state) {
    (void)state;
    refuse("{" F32_PAIR("a", "[0,4]") "," F32_PAIR("b", "[0,4]") "}", "overlaps");
    refuse("{" F32_PAIR("a", "[0,4]") "," F32_PAIR("b", "[2,6]") "}", "b: overlaps");
    refuse("{" F32_PAIR("a", "[4,8]") "}", "a: overlaps another tensor or leaves a hole");
    refuse("{" F32_PAIR("a", "[0,4]") "}", "after the last tensor");
    refuse("{}", "after the last tensor");
    refuse("{" F32_PAIR("a", "[0,4]") "," F32_PAIR("a", "[4,8]") "}", "a: named twice");
    refuse("{\"__metadata__\":{},\"__metadata__\":{}}", "__metadata__: named twice");
    refuse("{" F32_PAIR("a", "[8,12]") "}", "cut short");
    refuse("{" F32_PAIR("a", "[4611686018427387904,4611686018427387908]") "}", "offsets");
    refuse("{" F32_PAIR("a", "[9007199254740988,9007199254740992]") "}", "cut short");
}

static void test_offsets(void **state) {
    (void)state;
    static const char *const offsets[] = {"[4,0]",   "[0,8]", "[-4,0]",  "[0.5,4.5]",
                                          "[0,4,8]", "[0]",   "7",       "[\"0\",4]",
                                          "null",    "[]",    "[0,1e99]"};
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        char header[200];
        snprintf(header, sizeof header, "{" F32_PAIR("a", "%s") "}", offsets[i]);
        refuse(header, "offsets");
    }
    refuse("{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", "offsets");
}

static void test_entries(void **state) {
    (void)state;
    static const char *const shapes[] = {"[-1]",
                                         "[0.5]",
                                         "[1e99]",
                                         "7",
                                         "null",
                                         "[33554432,33554432,33554432]",
                                         "[1,1,1,1,1,1,1,1,1]"};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        char header[200];
        snprintf(header, sizeof header,
                 "{\"a\":{\"dtype\":\"F32\",\"shape\":%s,\"data_offsets\":[0,4]}}", shapes[i]);
        refuse(header, "a: bad shape");
    }
    refuse("{\"a\":{\"dtype\":\"F8_E4M3\",\"shape\":[8],\"data_offsets\":[0,8]}}", "F8_E4M3");
    refuse("{\"a\":{\"shape\":[8],\"data_offsets\":[0,8]}}", "(none)");
    refuse("{\"a\":{\"dtype\":7,\"shape\":[8],\"data_offsets\":[0,8]}}", "(none)");
    refuse("{\"a\":[]}", "a: no object");
    refuse("{\"__metadata__\":[]}", "__metadata__: no object");
    refuse("{\"a\\nb\\u001b[31m\":[]}", "no object");
}

static void test_header(void **state) {
    (void)state;
    refuse_bytes("", 0, "too short");
    refuse_bytes("\0\0\0\0\0\0\0\0\0", 9, "too short");
    refuse_bytes("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF{}", 10, "more than 16 MB");
    refuse_bytes("\x01\0\0\x01\0\0\0\0{}", 10, "more than 16 MB");
    refuse_bytes("\x03\0\0\0\0\0\0\0{}", 10, "cut short");
    refuse_bytes("\x01\0\0\0\0\0\0\0{}", 10, "not a safetensors file");
    refuse_bytes("\0\0\0\0\0\0\0\0{}", 10, "not a safetensors file");
    refuse_bytes("\x02\0\0\0\0\0\0\0[]", 10, "not a safetensors file");
    refuse("{\"a\":", "no JSON object");
    refuse("{} x", "no JSON object");
    refuse("{}{}", "no JSON object");
    /* A hundred thousand brackets must not end in the stack's overflow. */
    enum { DEPTH = 100000 };
    char *deep = malloc(DEPTH + 6);
    memcpy(deep, "{\"a\":", 5);
    memset(deep + 5, '[', DEPTH);
    deep[DEPTH + 5] = '\0';
    refuse(deep, "no JSON object");
    free(deep);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_f32_and_f64),
        cmocka_unit_test(test_f16),
        cmocka_unit_test(test_bf16),
        cmocka_unit_test(test_whole_numbers_are_no_weights),
        cmocka_unit_test(test_shapes_and_texts),
        IN_FOLDER(test_saved_file_comes_back),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_entries),
        cmocka_unit_test(test_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
