/* Arrays of other programs: every number type, order and container read right, and whatever else a
 * file may hold refused in one line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <zip.h>

#include "data/arrays/arrays.h"
#include "data/arrays/npz_save.h"
#include "data/files/zip_library.h"
#include "tests/data/helper_files.h"

/* --- files by hand ---------------------------------------------------------------------------- */

typedef struct File {
    unsigned char *bytes; /* free it */
    size_t size;
} File;

/* An npy of this version, header text and data. */
static File npy_file(int version, const char *text, const void *data, size_t data_size) {
    size_t length = strlen(text), start = version == 1 ? 10 : 12;
    File file = {malloc(start + length + data_size + 1), start + length + data_size};
    assert_non_null(file.bytes);
    memcpy(file.bytes, "\x93NUMPY", 6);
    file.bytes[6] = (unsigned char)version;
    file.bytes[7] = 0;
    for (size_t i = 8; i < start; i++)
        file.bytes[i] = (unsigned char)(length >> (8 * (i - 8)) & 255);
    memcpy(file.bytes + start, text, length);
    if (data_size) memcpy(file.bytes + start + length, data, data_size);
    return file;
}

static File npy_of(const char *descr, bool fortran, const char *shape, const void *data,
                   size_t data_size) {
    char text[256];
    snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }   \n", descr,
             fortran ? "True" : "False", shape);
    return npy_file(1, text, data, data_size);
}

/* A zip whose entries are npy files; `method` is libzip's. */
static File zipped(const char *const *names, const File *files, int count, int method) {
    const char *path = in_folder("made.zip");
    int code;
    zip_t *archive = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code);
    assert_non_null(archive);
    for (int i = 0; i < count; i++) {
        zip_source_t *source = zip_source_buffer(archive, files[i].bytes, files[i].size, 0);
        zip_int64_t index = zip_file_add(archive, names[i], source, ZIP_FL_ENC_UTF_8);
        assert_true(index >= 0);
        assert_int_equal(zip_set_file_compression(archive, (zip_uint64_t)index, method, 0), 0);
    }
    assert_int_equal(zip_close(archive), 0);
    File file;
    file.bytes = read_bytes(path, &file.size);
    return file;
}

/* Numbers that are read where they lie are those that are loaded. */
static void assert_lie_there(const Arrays *loaded, File file) {
    Arrays arrays;
    Error error = {0};
    if (!arrays_over(&arrays, "dir/file.npy", file.bytes, file.size, &error))
        fail_msg("%s", error.text);
    for (int i = 0; i < loaded->count; i++) {
        const Array *expected = &loaded->arrays[i];
        const Array *array = expected->is_text ? arrays_find(&arrays, expected->name)
                                               : arrays_find_numbers(&arrays, expected->name);
        assert_non_null(array);
        assert_int_equal(array->count, expected->count);
        if (expected->is_text) {
            assert_string_equal(array->text, expected->text);
            continue;
        }
        size_t size = (size_t)array->count * sizeof(double);
        double *numbers = malloc(size + 1);
        array_read_double(array, numbers);
        assert_memory_equal(numbers, expected->numbers, size);
        for (int64_t k = 0; k < array->count; k++)
            numbers[k] = array_number(array, k);
        assert_memory_equal(numbers, expected->numbers, size);
        real *weights = malloc((size_t)array->count * sizeof *weights + 1);
        bool read = array_read_real(array, weights);
        assert_int_equal(read, !number_is_whole(array->type));
        for (int64_t k = 0; read && k < array->count; k++)
            assert_true(weights[k] == (real)numbers[k] || isnan(numbers[k]));
        free(weights);
        free(numbers);
    }
    arrays_close(&arrays);
}

static Arrays opened(File file) {
    Arrays arrays;
    Error error = {0};
    if (!arrays_from_bytes(&arrays, "dir/file.npy", file.bytes, file.size, 0, &error))
        fail_msg("%s", error.text);
    assert_lie_there(&arrays, file);
    free(file.bytes);
    return arrays;
}

static void assert_numbers(const Array *array, const double *expected, int count) {
    assert_int_equal(array->count, count);
    for (int i = 0; i < count; i++)
        if (isnan(expected[i]) ? !isnan(array->numbers[i]) : array->numbers[i] != expected[i])
            fail_msg("%s: number %d is %.17g", array->name, i, array->numbers[i]);
}

/* --- npy -------------------------------------------------------------------------------------- */

/* Each type of both byte orders: the numbers of IEEE 754's and two's complement's tables. */
static void test_npy_types(void **state) {
    (void)state;
    static const struct {
        const char *descr, *data;
        size_t size;
        double number;
        TensorType type;
    } cases[] = {
        {"<f4", "\x00\x00\x20\xC0", 4, -2.5, TENSOR_F32},
        {">f4", "\xC0\x20\x00\x00", 4, -2.5, TENSOR_F32},
        {"<f8", "\x00\x00\x00\x00\x00\x00\x04\xC0", 8, -2.5, TENSOR_F64},
        {">f8", "\xC0\x04\x00\x00\x00\x00\x00\x00", 8, -2.5, TENSOR_F64},
        {"<f2", "\x00\xC1", 2, -2.5, TENSOR_F16},
        {">f2", "\xC1\x00", 2, -2.5, TENSOR_F16},
        {"<f2", "\x00\x7E", 2, (double)NAN, TENSOR_F16},
        {"|i1", "\xFE", 1, -2, TENSOR_I8},
        {"|u1", "\xFE", 1, 254, TENSOR_U8},
        {"<i2", "\xFE\xFF", 2, -2, TENSOR_I16},
        {">i2", "\xFF\xFE", 2, -2, TENSOR_I16},
        {"<u2", "\xFE\xFF", 2, 65534, TENSOR_U16},
        {"<i4", "\x00\x00\x00\x80", 4, -2147483648.0, TENSOR_I32},
        {">u4", "\x80\x00\x00\x00", 4, 2147483648.0, TENSOR_U32},
        {"<i8", "\xFD\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 8, -3, TENSOR_I64},
        {">i8", "\x00\x00\x00\x00\x00\x00\x00\x05", 8, 5, TENSOR_I64},
        {"<i8", "\x00\x00\x00\x00\x00\x00\x00\x80", 8, -9223372036854775808.0, TENSOR_I64},
        {"<u8", "\x00\x00\x00\x00\x00\x00\x00\x80", 8, 9223372036854775808.0, TENSOR_U64},
        {"|b1", "\x01", 1, 1, TENSOR_BOOL},
        {"|b1", "\x00", 1, 0, TENSOR_BOOL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Arrays arrays = opened(npy_of(cases[i].descr, false, "(1,)", cases[i].data, cases[i].size));
        assert_int_equal(arrays.count, 1);
        assert_string_equal(arrays.arrays[0].name, "file");
        assert_int_equal(arrays.arrays[0].type, cases[i].type);
        assert_numbers(&arrays.arrays[0], &cases[i].number, 1);
        arrays_close(&arrays);
    }
}

/* A number by itself, and orders of axes, in each version. */
static void test_npy_shapes(void **state) {
    (void)state;
    static const float data[6] = {1, 2, 3, 4, 5, 6};
    static const double c_order[6] = {1, 2, 3, 4, 5, 6}, fortran[6] = {1, 3, 5, 2, 4, 6};
    static const double cube[6] = {1, 3, 5, 2, 4, 6};
    Arrays arrays = opened(npy_of("<f4", false, "(2, 3)", data, sizeof data));
    assert_numbers(&arrays.arrays[0], c_order, 6);
    assert_int_equal(arrays.arrays[0].rank, 2);
    assert_int_equal(arrays.arrays[0].shape[1], 3);
    arrays_close(&arrays);
    arrays = opened(npy_of("<f4", true, "(2, 3)", data, sizeof data));
    assert_numbers(&arrays.arrays[0], fortran, 6);
    arrays_close(&arrays);
    arrays = opened(npy_of("<f4", true, "(2, 1, 3)", data, sizeof data));
    assert_numbers(&arrays.arrays[0], cube, 6);
    arrays_close(&arrays);
    arrays = opened(npy_of("<f4", false, "()", data, 4));
    assert_int_equal(arrays.arrays[0].rank, 0);
    assert_numbers(&arrays.arrays[0], c_order, 1);
    arrays_close(&arrays);
    arrays = opened(npy_of("<f4", true, "(0, 4)", NULL, 0));
    assert_numbers(&arrays.arrays[0], NULL, 0);
    assert_non_null(arrays.arrays[0].numbers);
    arrays_close(&arrays);
    /* Version 3 (a longer length), keys in another order, other quotes, Python 2's L. */
    static const char text[] =
        "{\"shape\": (3L, 2L), \"descr\": \"<f4\", \"fortran_order\": False}";
    for (int version = 2; version <= 3; version++) {
        arrays = opened(npy_file(version, text, data, sizeof data));
        assert_numbers(&arrays.arrays[0], c_order, 6);
        assert_int_equal(arrays.arrays[0].shape[0], 3);
        arrays_close(&arrays);
    }
}

/* More numbers than one read takes, in an order that is not theirs. */
static void test_npy_long(void **state) {
    (void)state;
    enum { ROWS = 300, COLUMNS = 100 };
    static double data[ROWS * COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++)
        data[i] = i;
    Arrays arrays = opened(npy_of("<f8", true, "(300, 100)", data, sizeof data));
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            assert_true(arrays.arrays[0].numbers[row * COLUMNS + column] == column * ROWS + row);
    arrays_close(&arrays);
}

static void test_npy_texts(void **state) {
    (void)state;
    /* a, U+00E4 and U+1F600; then only b: the rest of it is filled with zeros. */
    static const char wide[] = "a\0\0\0\xE4\0\0\0\x00\xF6\x01\0"
                               "b\0\0\0\0\0\0\0\0\0\0\0";
    Arrays arrays = opened(npy_of("<U3", false, "(2,)", wide, 24));
    assert_true(arrays.arrays[0].is_text);
    assert_null(arrays.arrays[0].numbers);
    assert_string_equal(arrays.arrays[0].text, "a\xC3\xA4\xF0\x9F\x98\x80\nb");
    arrays_close(&arrays);
    arrays = opened(npy_of(">U1", false, "()", "\0\0\0\n", 4));
    assert_string_equal(arrays.arrays[0].text, "\n");
    arrays_close(&arrays);
    /* A break within one of several would look like one text more. */
    arrays = opened(npy_of("|S3", false, "(2,)", "a\nbc\0\0", 6));
    assert_string_equal(arrays.arrays[0].text, "a b\nc");
    arrays_close(&arrays);
    arrays = opened(npy_of("<U0", false, "(3,)", NULL, 0));
    assert_string_equal(arrays.arrays[0].text, "\n\n");
    arrays_close(&arrays);
    arrays = opened(npy_of("<U2147483648", false, "(0,)", NULL, 0));
    assert_string_equal(arrays.arrays[0].text, "");
    arrays_close(&arrays);
    /* What is no code point is replaced. */
    arrays = opened(npy_of("<U1", false, "()", "\x00\xD8\x00\x00", 4));
    assert_string_equal(arrays.arrays[0].text, "\xEF\xBF\xBD");
    arrays_close(&arrays);
}

/* --- npz -------------------------------------------------------------------------------------- */

static void test_npz_stored_and_deflated(void **state) {
    (void)state;
    static const float data[6] = {1, 2, 3, 4, 5, 6};
    static const double expected[6] = {1, 2, 3, 4, 5, 6}, order[6] = {1, 3, 5, 2, 4, 6};
    static const char *const names[] = {"weights.npy", "README.txt", "w_q.npy"};
    for (int method = 0; method < 2; method++) {
        File files[3] = {npy_of("<f4", false, "(6,)", data, sizeof data),
                         npy_of("<f4", false, "(6,)", data, 3),
                         npy_of("<f4", true, "(2, 3)", data, sizeof data)};
        File packed = zipped(names, files, 3, method ? ZIP_CM_DEFLATE : ZIP_CM_STORE);
        Arrays arrays = opened(packed);
        assert_int_equal(arrays.count, 2);
        assert_numbers(arrays_find(&arrays, "weights"), expected, 6);
        assert_numbers(arrays_find(&arrays, "w_q"), order, 6);
        assert_null(arrays_find(&arrays, "README"));
        arrays_close(&arrays);
        for (int i = 0; i < 3; i++)
            free(files[i].bytes);
    }
}

/* What this program writes, it reads. */
static void test_npz_of_our_own(void **state) {
    (void)state;
    static const double wide[2] = {0.1, -7};
    static const int32_t whole[1] = {4};
    const Tensor tensors[] = {
        {.name = "a", .type = TENSOR_F64, .rank = 2, .shape = {2, 1}, .bytes = wide},
        {.name = "heads", .type = TENSOR_I32, .rank = 0, .bytes = whole},
    };
    const TensorText texts[] = {{"note", "x\n\xC3\xA4"}};
    Error error = {0};
    Arrays arrays;
    if (!npz_save(in_folder("a.npz"), tensors, 2, texts, 1, &error) ||
        !arrays_open(&arrays, in_folder("a.npz"), 0, &error))
        fail_msg("%s", error.text);
    assert_numbers(arrays_find(&arrays, "a"), wide, 2);
    assert_true(arrays_find(&arrays, "heads")->numbers[0] == 4);
    assert_string_equal(arrays_find(&arrays, "note")->text, "x\n\xC3\xA4");
    arrays_close(&arrays);
}

/* --- safetensors ------------------------------------------------------------------------------ */

static void test_safetensors(void **state) {
    (void)state;
    static const char data[] = "\x80\x3F\x01\x00\xFF\xFE\xFF";
    static const char header[] = "{\"__metadata__\":{\"heads\":4,\"note\":\"x\",\"b\":\"hidden\"},"
                                 "\"h\":{\"dtype\":\"BF16\",\"shape\":[1],\"data_offsets\":[0,2]},"
                                 "\"b\":{\"dtype\":\"BOOL\",\"shape\":[2],\"data_offsets\":[2,4]},"
                                 "\"i\":{\"dtype\":\"I8\",\"shape\":[],\"data_offsets\":[4,5]},"
                                 "\"u\":{\"dtype\":\"U16\",\"shape\":[1],\"data_offsets\":[5,7]}}";
    static const double one[1] = {1}, bools[2] = {1, 0}, less[1] = {-1}, many[1] = {65534};
    File file;
    file.bytes = file_of(header, data, 7, &file.size);
    Arrays arrays = opened(file);
    assert_int_equal(arrays.count, 6);
    assert_numbers(arrays_find(&arrays, "h"), one, 1);
    assert_int_equal(arrays_find(&arrays, "h")->type, TENSOR_BF16);
    assert_numbers(arrays_find(&arrays, "b"), bools, 2);
    assert_numbers(arrays_find(&arrays, "i"), less, 1);
    assert_numbers(arrays_find(&arrays, "u"), many, 1);
    assert_string_equal(arrays_find(&arrays, "heads")->text, "4");
    assert_string_equal(arrays_find(&arrays, "note")->text, "x");
    arrays_close(&arrays);
    file.bytes = file_of("{\"__metadata__\":{\"k\":\"v\"}}  ", NULL, 0, &file.size);
    arrays = opened(file);
    assert_int_equal(arrays.count, 1);
    arrays_close(&arrays);
}

/* --- what is refused -------------------------------------------------------------------------- */

static void refuse(File file, int64_t most, const char *reason) {
    Arrays arrays;
    Error error = {0};
    if (arrays_from_bytes(&arrays, "f", file.bytes, file.size, most, &error))
        fail_msg("read, but expected: %s", reason);
    assert_one_line(&error);
    if (strncmp(error.text, "f: ", 3) != 0 || !strstr(error.text, reason))
        fail_msg("'%s' lacks '%s'", error.text, reason);
    assert_null(arrays.arrays);
    assert_null(arrays.bytes);
    free(file.bytes);
}

static File bytes_of(const void *bytes, size_t size) {
    File file = {malloc(size + 1), size};
    assert_non_null(file.bytes);
    memcpy(file.bytes, bytes, size);
    return file;
}

static void test_refused_kinds(void **state) {
    (void)state;
    refuse(bytes_of("", 0), 0, "empty");
    refuse(bytes_of("0.5 0.5\n", 8), 0, "neither safetensors nor .npz nor .npy");
    refuse(bytes_of("\x80\x04\x95", 3), 0, "pickle");
    refuse(npy_of("|O", false, "(2,)", "\x80\x04\x95", 3), 0, "numpy.savez of plain arrays");
    refuse(npy_of("|V2", false, "(2,)", "1234", 4), 0, "bfloat16");
    refuse(npy_of("<c8", false, "(1,)", "12345678", 8), 0, "number type <c8");
    refuse(npy_of("<M8[ns]", false, "(1,)", "12345678", 8), 0, "number type <M8[ns]");
    refuse(npy_of("", false, "(1,)", "1", 1), 0, "number type");
    refuse(
        npy_file(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "1234", 4),
        0, "named columns");
}

static void test_refused_headers(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "{",
        "{}",
        "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1.5,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4194304, 4194304, 4194304)}",
        "{'descr': '<f4', 'fortran_order': True, 'shape': (0, 4194304, 4194304, 4194304)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}",
        "{'descr': '<f4444444444444444444444444444444444444', 'fortran_order': False, 'shape': ()}",
        "{'descr': '<f4",
        "{'other': '<f4', 'fortran_order': False, 'shape': (1,)}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        refuse(npy_file(1, texts[i], "1234", 4), 0, "header is damaged");
    refuse(npy_file(4, "{}", "", 0), 0, "version 4");
    refuse(npy_file(0, "{}", "", 0), 0, "version 0");
    File file = npy_of("<f4", false, "(1,)", "1234", 4);
    file.size = 40;
    refuse(file, 0, "header is cut short");
    file = npy_of("<f4", false, "(1,)", "1234", 4);
    file.size = 8;
    refuse(file, 0, "not a NumPy array");
    file = npy_file(2, "{}", "", 0);
    file.size = 11;
    refuse(file, 0, "header is cut short");
    file = npy_file(2, "{}", "", 0);
    memset(file.bytes + 8, 255, 4);
    refuse(file, 0, "4294967295 bytes");
}

static void test_refused_sizes(void **state) {
    (void)state;
    static const float data[6] = {1, 2, 3, 4, 5, 6};
    refuse(npy_of("<f4", false, "(7,)", data, sizeof data), 0, "6 of 7 values");
    refuse(npy_of("<f8", false, "(1000000, 1000000)", data, sizeof data), 0, "values");
    refuse(npy_of("<U1000000", false, "(1000000,)", data, sizeof data), 0, "values");
    refuse(npy_of("<U0", false, "(1125899906842624,)", NULL, 0), 0, "too large");
    refuse(npy_of("<f4", false, "(6,)", data, sizeof data), 5, "(6) is too large: 5 more");
    File file;
    file.bytes = file_of("{\"a\":{\"dtype\":\"F32\",\"shape\":[6],\"data_offsets\":[0,24]}}", data,
                         24, &file.size);
    refuse(file, 5, "a: (6) is too large");
}

static void test_refused_archives(void **state) {
    (void)state;
    static const float data[6] = {1, 2, 3, 4, 5, 6};
    static const char *const twice[] = {"a.npy", "b.npy"}, *const torch[] = {"archive/data.pkl"};
    File array = npy_of("<f4", false, "(6,)", data, sizeof data);
    File two[2] = {array, array};
    refuse(zipped(torch, two, 1, ZIP_CM_STORE), 0, "torch.save");
    refuse(zipped(twice, two, 2, ZIP_CM_STORE), 11, "b: (6) is too large: 5 more");
    File file = zipped(twice, two, 2, ZIP_CM_STORE);
    file.size -= 30;
    refuse(file, 0, "no whole zip archive");
    /* A number changed: the checksum tells. */
    file = zipped(twice, two, 2, ZIP_CM_STORE);
    for (size_t i = 0; i + 24 < file.size; i++)
        if (memcmp(file.bytes + i, data, 24) == 0) {
            file.bytes[i] ^= 1;
            break;
        }
    refuse(file, 0, "a.npy: cannot be unpacked: CRC error");
    File cut = npy_of("<f4", false, "(7,)", data, sizeof data);
    refuse(zipped(twice, &cut, 1, ZIP_CM_DEFLATE), 0, "f: a: 6 of 7 values");
    free(cut.bytes);
    free(array.bytes);
    refuse(bytes_of("PK", 2), 0, "no whole zip archive");
}

static void test_refused_paths(void **state) {
    (void)state;
    Arrays arrays;
    Error error = {0};
    assert_false(arrays_open(&arrays, in_folder("none.npz"), 0, &error));
    assert_non_null(strstr(error.text, "none.npz: cannot be opened"));
    assert_false(arrays_open(&arrays, in_folder("."), 0, &error));
    assert_non_null(strstr(error.text, "no regular file"));
    arrays_close(&arrays);
}

static void test_texts_of_shapes(void **state) {
    (void)state;
    char text[SHAPE_TEXT];
    Array array = {.rank = 4, .shape = {2, 5, 4, 6}};
    array_shape_text(&array, text);
    assert_string_equal(text, "(2, 5, 4, 6)");
    array = (Array){0};
    array_shape_text(&array, text);
    assert_string_equal(text, "()");
    array.rank = ARRAY_RANK;
    for (int i = 0; i < ARRAY_RANK; i++)
        array.shape[i] = INT64_C(1) << 53;
    array_shape_text(&array, text);
    assert_true(strlen(text) == 8 * 16 + 7 * 2 + 2);
}

/* --- files of others -------------------------------------------------------------------------- */

/* Where they stand, the shared inputs: one picture in five containers, and what must be refused. */
static void test_shared_files(void **state) {
    (void)state;
    static const char folder[] = "../shared/data/awkward/";
    static const char *const same[] = {"r36_f64.npy", "r36_be_f4.npy", "r36_fortran.npy",
                                       "r36_v3.npy", "r36_f16.npy"};
    static const char *const read[] = {"r37_deflate.npz", "r38_bf16.safetensors",
                                       "r39_meta_int.safetensors", "r39_only_metadata.safetensors",
                                       "r45_empty.npy"};
    static const char *const refused[] = {"r39_header_too_large.safetensors",
                                          "r39_truncated.safetensors", "r41_object_array.npy",
                                          "r13_json_null.json"};
    Arrays first = {0}, arrays;
    Error error = {0};
    char path[200];
    if (access(folder, R_OK) != 0) skip();
    for (int i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s%s", folder, same[i]);
        if (!arrays_open(&arrays, path, 0, &error)) fail_msg("%s", error.text);
        if (i == 0) {
            first = arrays;
            continue;
        }
        assert_int_equal(arrays.arrays[0].count, first.arrays[0].count);
        for (int64_t k = 0; k < first.arrays[0].count; k++)
            assert_true(fabs(arrays.arrays[0].numbers[k] - first.arrays[0].numbers[k]) < 1e-3);
        arrays_close(&arrays);
    }
    arrays_close(&first);
    for (int i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s%s", folder, read[i]);
        if (!arrays_open(&arrays, path, 0, &error)) fail_msg("%s", error.text);
        arrays_close(&arrays);
    }
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s%s", folder, refused[i]);
        assert_false(arrays_open(&arrays, path, 0, &error));
        assert_one_line(&error);
    }
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

/* libzip's functions are ours to call once it is open. */
static int open_zip(void **state) {
    (void)state;
    Error error;
    return zip_library_open(&error) ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_npy_types),        cmocka_unit_test(test_npy_shapes),
        cmocka_unit_test(test_npy_long),         cmocka_unit_test(test_npy_texts),
        IN_FOLDER(test_npz_stored_and_deflated), IN_FOLDER(test_npz_of_our_own),
        cmocka_unit_test(test_safetensors),      cmocka_unit_test(test_refused_kinds),
        cmocka_unit_test(test_refused_headers),  cmocka_unit_test(test_refused_sizes),
        IN_FOLDER(test_refused_archives),        IN_FOLDER(test_refused_paths),
        cmocka_unit_test(test_texts_of_shapes),  cmocka_unit_test(test_shared_files),
    };
    return cmocka_run_group_tests(tests, open_zip, NULL);
}
