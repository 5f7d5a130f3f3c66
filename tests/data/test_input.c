/* Files as they should not be: pipes and devices are refused at once, and a file that is large, or
 * only says that it is, costs no more than its header. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>
#include <zlib.h>

#include "data/arrays/arrays.h"
#include "data/attention/attention_file.h"
#include "data/files/input.h"
#include "data/files/json_text.h"
#include "tests/data/helper_files.h"

/* Megabytes that all of it may take; the address sanitizer keeps what is freed. */
#ifdef __SANITIZE_ADDRESS__
enum { PEAK_MOST = 1200 };
#else
enum { PEAK_MOST = 300 };
#endif

/* What a reader says of a file: one line, which is returned. */
typedef bool (*Reader)(const char *path, Error *error);

static bool by_arrays(const char *path, Error *error) {
    Arrays arrays;
    bool good = arrays_open(&arrays, path, 1 << 26, error);
    if (good) arrays_close(&arrays);
    return good;
}

static bool by_attention(const char *path, Error *error) {
    AttentionFileOptions options = {.example = -1};
    AttentionFile file;
    bool good = attention_file_open(&file, path, &options, error);
    if (good) attention_file_free(&file);
    return good;
}

static bool by_judge(const char *path, Error *error) {
    bool is_attention;
    return attention_file_judge(path, &is_attention, error);
}

static bool by_model(const char *path, Error *error) {
    Model model;
    bool good = model_open(&model, path, error);
    if (good) model_free(&model);
    return good;
}

static const Reader readers[] = {by_arrays, by_attention, by_judge, by_model};
enum { READERS = sizeof readers / sizeof readers[0] };

static void assert_refused(Reader reader, const char *path, const char *words) {
    Error error = {0};
    if (reader(path, &error)) fail_msg("%s: was read", path);
    assert_one_line(&error);
    if (!strstr(error.text, path)) fail_msg("'%s' does not name %s", error.text, path);
    if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
}

static long peak_megabytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss >> 10;
}

/* An npy of one number or of none, whatever its header says. */
static void write_npy(const char *name, const char *type, const char *shape, bool number) {
    char text[120] = "", bytes[130] = "\x93NUMPY\1";
    snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s}\n", type,
             shape);
    size_t length = strlen(text);
    bytes[8] = (char)length;
    memcpy(bytes + 10, text, length);
    memcpy(bytes + 10 + length, "\0\0\x80\x3f", 4);
    write_bytes(in_folder(name), bytes, 10 + length + (number ? 4 : 0));
}

static void test_no_regular_files(void **state) {
    (void)state;
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    for (int i = 0; i < READERS; i++) {
        assert_refused(readers[i], in_folder("pipe"), "but a pipe: save it first");
        assert_refused(readers[i], test_folder, "is no regular file but a folder");
        assert_refused(readers[i], "/dev/zero", "is no regular file");
        assert_refused(readers[i], "/dev/null", "is no regular file");
        assert_refused(readers[i], in_folder("none"), "cannot be opened: No such file");
    }
}

/* Told by their first bytes, however many follow. */
static void test_other_kinds(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *words;
    } kinds[] = {
        {"", 0, "empty"},
        {"\x89PNG\r\n\x1a\n....", 12, "is a PNG picture"},
        {"%PDF-1.4 ......", 15, "is a PDF"},
        {"some words, in lines\n", 21, "is a text"},
        {"[\"a\", \"b\", \"c\"]", 15, "is JSON"},
        {"<svg xmlns=...>", 15, "is an SVG picture"},
        {"\x1f\x8b\x08\0\0\0\0\0\0\0\0\0", 12, "is a gzip archive"},
        {"\x80\x04\x95........", 11, "pickle"},
        {"\1\2\3\4\5\6\7\1\2\3\4", 11, "of an unknown kind"},
    };
    for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++) {
        write_bytes(in_folder("f"), kinds[kind].bytes, kinds[kind].size);
        if (kinds[kind].size) assert_int_equal(truncate(in_folder("f"), (off_t)3 << 30), 0);
        for (int i = 0; i < READERS; i++)
            assert_refused(readers[i], in_folder("f"), kinds[kind].words);
    }
    assert_in_range(peak_megabytes(), 0, PEAK_MOST);
}

/* 3 GB of numbers behind a header that is right, and no model's. */
static void test_large_files_that_are_no_models(void **state) {
    (void)state;
    static const char header[] =
        "{\"lm_head\":{\"dtype\":\"F32\",\"shape\":[805306368],\"data_offsets\":[0,3221225472]}}";
    size_t size;
    unsigned char *bytes = file_of(header, NULL, 0, &size);
    write_bytes(in_folder("large.safetensors"), bytes, size);
    free(bytes);
    assert_int_equal(truncate(in_folder("large.safetensors"), (off_t)(size + 3221225472)), 0);
    assert_refused(by_model, in_folder("large.safetensors"), "no headscope model");
    assert_refused(by_arrays, in_folder("large.safetensors"), "at most");
    assert_in_range(peak_megabytes(), 0, PEAK_MOST);
}

/* A header of values that take forty times their text, and one of JSON in it. */
static void test_large_headers(void **state) {
    (void)state;
    enum { LENGTH = 12 << 20 };
    char *header = malloc(LENGTH + 1);
    assert_non_null(header);
    for (int i = 0; i < LENGTH; i++)
        header[i] = i % 2 ? ',' : '0';
    memcpy(header, "{\"a\":[", 6);
    memcpy(header + LENGTH - 3, "0]}", 4);
    size_t size;
    unsigned char *bytes = file_of(header, NULL, 0, &size);
    write_bytes(in_folder("h.safetensors"), bytes, size);
    for (int i = 0; i < READERS; i++)
        assert_refused(readers[i], in_folder("h.safetensors"), "values; not a safetensors file");
    write_bytes(in_folder("t.json"), header + 5, LENGTH - 6);
    write_npy("a.npy", "<f4", "(1, 1)", true);
    AttentionFileOptions options = {.example = -1, .tokens = in_folder("t.json")};
    AttentionFile file;
    Error error = {0};
    assert_false(attention_file_open(&file, in_folder("a.npy"), &options, &error));
    assert_one_line(&error);
    assert_in_range(peak_megabytes(), 0, PEAK_MOST);
    free(bytes);
    free(header);
}

static void test_texts_of_nothing(void **state) {
    (void)state;
    static const char *const types[] = {"|S0", "<U0", ">U0"};
    static const char *const shapes[] = {"(1000000000,)", "(1000000, 1000000)",
                                         "(1125899906842624,)"};
    for (int type = 0; type < 3; type++)
        for (int shape = 0; shape < 3; shape++) {
            write_npy("s.npy", types[type], shapes[shape], false);
            assert_refused(by_attention, in_folder("s.npy"), "too large");
            assert_refused(by_arrays, in_folder("s.npy"), "too large");
        }
    static const char *const others[] = {"|V0", "|b0", "<f0", "<i0", "|u0"};
    for (int type = 0; type < 5; type++)
        for (int i = 0; i < READERS; i++) {
            Error error = {0};
            write_npy("s.npy", others[type], "(1000000000,)", false);
            assert_false(readers[i] != by_judge && readers[i](in_folder("s.npy"), &error));
        }
    write_npy("s.npy", "<f4", "(0, 1000000000)", false);
    assert_refused(by_attention, in_folder("s.npy"), "it is empty");
    assert_in_range(peak_megabytes(), 0, PEAK_MOST);
}

static void put(unsigned char **at, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++)
        *(*at)++ = (unsigned char)(value >> (8 * i) & 255);
}

/* An npz of one packed npy of float32 zeros, 512 MB of them. Returns its size. */
static size_t write_bomb(const char *path) {
    enum { SIZE = 1 << 29, CHUNK = 1 << 20, PACKED = 1 << 20 };
    static unsigned char zeros[CHUNK], packed[PACKED];
    char header[129];
    memcpy(header, "\x93NUMPY\1\0\x76\0", 10);
    memset(header + 10, ' ', 117);
    static const char literal[] =
        "{'descr': '<f4', 'fortran_order': False, 'shape': (8192, 16384)}";
    memcpy(header + 10, literal, sizeof literal - 1);
    header[127] = '\n';
    z_stream stream = {.next_out = packed, .avail_out = PACKED};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY), Z_OK);
    uint32_t sum = (uint32_t)crc32(0, (const unsigned char *)header, 128);
    stream.next_in = (unsigned char *)header;
    stream.avail_in = 128;
    deflate(&stream, Z_NO_FLUSH);
    for (int i = 0; i < SIZE / CHUNK; i++) {
        stream.next_in = zeros;
        stream.avail_in = CHUNK;
        sum = (uint32_t)crc32(sum, zeros, CHUNK);
        deflate(&stream, Z_NO_FLUSH);
    }
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    size_t length = PACKED - stream.avail_out;
    deflateEnd(&stream);
    unsigned char *bytes = calloc(length + 300, 1), *at = bytes;
    assert_non_null(bytes);
    for (int central = 0; central < 2; central++) { /* the entry's header, and that of the list */
        put(&at, central ? 0x02014B50 : 0x04034B50, 4);
        if (central) put(&at, 20, 2);
        put(&at, 20, 2);
        put(&at, 0, 2);
        put(&at, 8, 2);
        put(&at, 0x00210000, 4);
        put(&at, sum, 4);
        put(&at, length, 4);
        put(&at, SIZE + 128, 4);
        put(&at, 8, 2);
        for (int zeros_left = central ? 8 : 1; zeros_left > 0; zeros_left--)
            put(&at, 0, 2);
        memcpy(at, "attn.npy", 8);
        at += 8;
        if (central) break;
        memcpy(at, packed, length);
        at += length;
    }
    size_t list = 38 + length;
    put(&at, 0x06054B50, 4);
    put(&at, 0, 4);
    put(&at, 1, 2);
    put(&at, 1, 2);
    put(&at, 54, 4);
    put(&at, list, 4);
    put(&at, 0, 2);
    size_t size = (size_t)(at - bytes);
    write_bytes(path, bytes, size);
    free(bytes);
    return size;
}

static void test_a_small_archive_of_much(void **state) {
    (void)state;
    assert_true(write_bomb(in_folder("bomb.npz")) < 1 << 20);
    assert_refused(by_attention, in_folder("bomb.npz"), "too many for so small a file");
    assert_refused(by_arrays, in_folder("bomb.npz"), "is too large");
    assert_in_range(peak_megabytes(), 0, PEAK_MOST);
}

/* As many lengths as may be, in time that grows with their number. */
static void test_many_lengths(void **state) {
    (void)state;
    enum { LENGTHS = 1 << 17 };
    char *text = malloc(2 * LENGTHS + 100), *at = text;
    assert_non_null(text);
    at += sprintf(at, "{\"tokens\": [\"a\"], \"valid_lens\": [1");
    for (int i = 1; i < LENGTHS; i++)
        at += sprintf(at, ",1");
    at += sprintf(at, "]}");
    write_bytes(in_folder("t.json"), text, (size_t)(at - text));
    free(text);
    write_npy("a.npy", "<f4", "(1, 1)", true);
    AttentionFileOptions options = {.example = -1, .tokens = in_folder("t.json")};
    AttentionFile file;
    Error error = {0};
    clock_t before = clock();
    assert_false(attention_file_open(&file, in_folder("a.npy"), &options, &error));
    if (!strstr(error.text, "131072 lengths")) fail_msg("%s", error.text);
    assert_true((double)(clock() - before) / CLOCKS_PER_SEC < 2);
}

static void test_json_bound(void **state) {
    (void)state;
    assert_true(json_text_bounded("[\"a,b,c\", 1]", 12));
    assert_null(json_text_parse(NULL));
    assert_null(json_text_parse("[1"));
    cJSON *json = json_text_parse("{\"a\": [1, 2]}");
    assert_non_null(json);
    cJSON_Delete(json);
    char *text = malloc(2 * JSON_TEXT_VALUES + 20);
    assert_non_null(text);
    text[0] = '[';
    for (int i = 0; i < JSON_TEXT_VALUES; i++)
        memcpy(text + 1 + 2 * i, "1,", 2);
    strcpy(text + 1 + 2 * JSON_TEXT_VALUES, "1]");
    assert_null(json_text_parse(text));
    text[0] = '"'; /* the same within a text is one value */
    strcpy(text + 1 + 2 * JSON_TEXT_VALUES, "\"");
    json = json_text_parse(text);
    assert_non_null(json);
    cJSON_Delete(json);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_no_regular_files, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_other_kinds, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_large_files_that_are_no_models, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(test_large_headers, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_texts_of_nothing, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_a_small_archive_of_much, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_many_lengths, make_folder, remove_folder),
        cmocka_unit_test(test_json_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
