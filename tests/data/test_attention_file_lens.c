/* Valid lengths, the first query and key_len in files of attention: where they mean something they
 * hide keys, and what is wrong is refused in one line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/attention/attention_file.h"
#include "tests/data/helper_files.h"

enum { EXAMPLES = 2, QUERIES = 3, KEYS = 4, NUMBERS = 1000 };

typedef struct Part {
    const char *name, *type, *shape;
    const void *data;
    size_t size;
} Part;

static float uniform[NUMBERS];

/* A safetensors file of these parts (ended by {0}) and of metadata, a JSON object or "". */
static const char *file_with(const Part *parts, const char *metadata) {
    static unsigned char data[16 * NUMBERS];
    char header[2000];
    size_t used = (size_t)snprintf(header, sizeof header, "{%s%s",
                                   metadata[0] ? "\"__metadata__\":" : "", metadata);
    size_t at = 0, size;
    for (; parts->name; parts++) {
        used += (size_t)snprintf(
            header + used, sizeof header - used,
            "%s\"%s\":{\"dtype\":\"%s\",\"shape\":[%s],\"data_offsets\":[%zu,%zu]}",
            used > 1 ? "," : "", parts->name, parts->type, parts->shape, at, at + parts->size);
        memcpy(data + at, parts->data, parts->size);
        at += parts->size;
    }
    snprintf(header + used, sizeof header - used, "}");
    unsigned char *bytes = file_of(header, data, at, &size);
    write_bytes(in_folder("a.safetensors"), bytes, size);
    free(bytes);
    return in_folder("a.safetensors");
}

#define CROSS                                                                                      \
    { "cross_attentions.0", "F32", "2,1,3,4", uniform, 4 * EXAMPLES *QUERIES *KEYS }
#define DECODER                                                                                    \
    { "decoder_attentions.0", "F32", "2,1,3,3", uniform, 4 * EXAMPLES *QUERIES *QUERIES }
#define INTS(name, shape, numbers)                                                                 \
    { name, "I64", shape, numbers, sizeof numbers }

static int make_all(void **state) {
    for (int i = 0; i < NUMBERS; i++)
        uniform[i] = 0.25F;
    return make_folder(state);
}

/* How many keys each query of a site sees. */
static void assert_seen(const char *path, int example, Site site, const int seen[QUERIES]) {
    AttentionFileOptions options = {.example = example};
    AttentionFile file;
    Error error = {0};
    if (!attention_file_open(&file, path, &options, &error)) fail_msg("%s", error.text);
    for (int query = 0; query < QUERIES; query++)
        assert_int_equal(trace_key_len(file.trace, (HeadId){site, 0, 0}, query), seen[query]);
    attention_file_free(&file);
}

static void assert_refused(const char *path, const char *words) {
    AttentionFileOptions options = {.example = -1};
    AttentionFile file;
    Error error = {0};
    if (attention_file_open(&file, path, &options, &error)) fail_msg("was opened: %s", words);
    assert_one_line(&error);
    assert_int_equal(error.kind, ERROR_USAGE);
    if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
    if (!strstr(error.text, "a.safetensors")) fail_msg("'%s' names no file", error.text);
}

static void test_arrays_are_honoured(void **state) {
    (void)state;
    static const int64_t one[] = {2}, each[] = {3, 1}, queries[] = {1, 0, 4};
    static const int64_t both[] = {4, 4, 4, 1, 2, 3};
    assert_seen(file_with((Part[]){CROSS, INTS("valid_lens", "", one), {0}}, ""), -1, SITE_CROSS,
                (int[]){2, 2, 2});
    const char *path = file_with((Part[]){CROSS, INTS("valid_lens", "2", each), {0}}, "");
    assert_seen(path, -1, SITE_CROSS, (int[]){3, 3, 3});
    assert_seen(path, 1, SITE_CROSS, (int[]){1, 1, 1});
    path = file_with((Part[]){CROSS, INTS("enc_valid_lens", "3", queries), {0}}, "");
    assert_seen(path, 1, SITE_CROSS, (int[]){1, 0, 4});
    path = file_with((Part[]){CROSS, INTS("valid_len", "2,3", both), {0}}, "");
    assert_seen(path, -1, SITE_CROSS, (int[]){4, 4, 4});
    assert_seen(path, 1, SITE_CROSS, (int[]){1, 2, 3});
    path = file_with((Part[]){CROSS, {0}}, "{\"valid_lens\":\"[[4,4,4],[1,2,3]]\"}");
    assert_seen(path, 1, SITE_CROSS, (int[]){1, 2, 3});
}

/* The encoder's lengths are none of the decoder's own keys. */
static void test_each_is_about_its_own_keys(void **state) {
    (void)state;
    static const int64_t two[] = {2}, one[] = {1};
    const char *path = file_with((Part[]){CROSS, DECODER, INTS("valid_lens", "", two), {0}}, "");
    assert_seen(path, -1, SITE_CROSS, (int[]){2, 2, 2});
    assert_seen(path, -1, SITE_DECODER, (int[]){3, 3, 3});
    path = file_with((Part[]){CROSS, DECODER, INTS("dec_valid_lens", "1", one), {0}}, "");
    assert_seen(path, -1, SITE_CROSS, (int[]){4, 4, 4});
    assert_seen(path, -1, SITE_DECODER, (int[]){1, 1, 1});
    path = file_with((Part[]){DECODER, INTS("valid_lens", "", two), {0}}, "");
    assert_seen(path, -1, SITE_DECODER, (int[]){2, 2, 2});
}

static void test_wrong_lengths_are_refused(void **state) {
    (void)state;
    static const int64_t five[] = {5}, less[] = {-1}, four[] = {1, 1, 1, 1}, one[] = {1},
                         other[] = {3, 9};
    static const float half[] = {2.5F};
    assert_refused(file_with((Part[]){CROSS, INTS("valid_lens", "", five), {0}}, ""),
                   "valid_lens: 5, but there are 4 keys");
    assert_refused(file_with((Part[]){CROSS, INTS("valid_lens", "2", other), {0}}, ""),
                   "valid_lens: 9, but there are 4 keys");
    assert_refused(file_with((Part[]){CROSS, INTS("valid_lens", "1", less), {0}}, ""),
                   "valid_lens: -1: a valid length is a whole number from 0");
    assert_refused(
        file_with((Part[]){CROSS, {"valid_lens", "F32", "1", half, sizeof half}, {0}}, ""),
        "valid_lens: 2.5");
    assert_refused(file_with((Part[]){CROSS, INTS("valid_lens", "4", four), {0}}, ""),
                   "valid_lens: 4 lengths, but there are 2 examples of 3 queries");
    assert_refused(file_with((Part[]){CROSS, INTS("valid_lens", "1,2,2", four), {0}}, ""),
                   "more axes");
    assert_refused(file_with((Part[]){CROSS, INTS("dec_valid_lens", "1", one), {0}}, ""),
                   "no maps of decoder self-attention");
    static const char *const texts[] = {"[]", "[2.5]", "[-1]", "[\\\"a\\\"]", "[[1,2],[3]]", "[9]"};
    for (int i = 0; i < 6; i++) {
        char metadata[80];
        snprintf(metadata, sizeof metadata, "{\"valid_lens\":\"%s\"}", texts[i]);
        assert_refused(file_with((Part[]){CROSS, {0}}, metadata),
                       i == 4 ? "rows differ in length" : "valid_lens");
    }
}

static void test_the_first_query(void **state) {
    (void)state;
    static const int64_t one[] = {1}, nine[] = {9}, less[] = {-1};
    static const Part tall = {"decoder_attentions.0", "F32", "1,1,2,3", uniform, 24};
    AttentionFileOptions options = {.example = -1};
    AttentionFile file;
    Error error = {0};
    const char *path = file_with((Part[]){tall, INTS("row_offset", "", one), {0}}, "");
    if (!attention_file_open(&file, path, &options, &error)) fail_msg("%s", error.text);
    assert_int_equal(file.first_query, 1);
    attention_file_free(&file);
    assert_refused(file_with((Part[]){tall, INTS("row_offset", "1", nine), {0}}, ""),
                   "row_offset 9: 2 queries from there on, but 3 tokens");
    assert_refused(file_with((Part[]){tall, INTS("row_offset", "", less), {0}}, ""),
                   "row_offset: it must be a whole number");
    assert_refused(file_with((Part[]){tall, {0}}, "{\"row_offset\":\"[1]\"}"),
                   "row_offset: it must be a whole number");
    assert_refused(file_with((Part[]){tall, {0}}, "{\"row_offset\":\"1.5\"}"),
                   "row_offset: it must be a whole number");
    assert_refused(file_with((Part[]){CROSS, INTS("row_offset", "", one), {0}}, ""),
                   "row_offset 1: it is about decoder self-attention, and there is none");
}

static void test_wrong_key_len(void **state) {
    (void)state;
    static const int64_t right[] = {1, 2, 4}, large[] = {1, 2, 5}, few[] = {1, 2};
    static const Part map = {"cross.0.0", "F32", "3,4", uniform, 48};
    assert_seen(file_with((Part[]){map, INTS("cross.0.0.key_len", "3", right), {0}}, ""), -1,
                SITE_CROSS, (int[]){1, 2, 4});
    assert_refused(file_with((Part[]){map, INTS("cross.0.0.key_len", "3", large), {0}}, ""),
                   "cross.0.0.key_len: 5 for query 2");
    assert_refused(file_with((Part[]){map, INTS("cross.0.0.key_len", "2", few), {0}}, ""),
                   "cross.0.0.key_len: there is no map of so many queries");
    assert_refused(file_with((Part[]){map, INTS("cross.1.0.key_len", "3", right), {0}}, ""),
                   "cross.1.0.key_len: there is no map");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_arrays_are_honoured, make_all, remove_folder),
        cmocka_unit_test_setup_teardown(test_each_is_about_its_own_keys, make_all, remove_folder),
        cmocka_unit_test_setup_teardown(test_wrong_lengths_are_refused, make_all, remove_folder),
        cmocka_unit_test_setup_teardown(test_the_first_query, make_all, remove_folder),
        cmocka_unit_test_setup_teardown(test_wrong_key_len, make_all, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
