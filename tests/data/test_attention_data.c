/* Attention maps as data: what stands in the CSV, JSON, npz and safetensors files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cjson/cJSON.h>
#include <math.h>
#include <zip.h>

#include "data/arrays/safetensors.h"
#include "data/attention/attention_data.h"
#include "data/files/zip_library.h"
#include "tests/data/helper_files.h"

static const char *const source[] = {"\"", ",", "\xC3\xA4"};
static const char *const reads[] = {"<s>", "a"};
static const char *const writes[] = {"a", "</s>"};
static const HeadId heads[] = {{SITE_ENCODER, 0, 0}, {SITE_DECODER, 0, 1}, {SITE_CROSS, 0, 1}};

/* One layer of two heads, three source tokens, two steps. Thirds need all nine digits. */
static AttentionData made_data(void) {
    static const TraceShape shapes[SITE_COUNT] = {
        [SITE_ENCODER] = {1, 2, 3, 3}, [SITE_DECODER] = {1, 2, 2, 2}, [SITE_CROSS] = {1, 2, 2, 3}};
    static const float encoder[9] = {1.0F / 3, 2.0F / 3, 0, 0.5F, 0.5F, 0, 1, 0, 0};
    static const float decoder[4] = {1, 9, 0.25F, 0.75F};
    static const float cross[6] = {0.5F, 0.25F, 0.25F, 0, 0, 1};
    static const int causal[2] = {1, 2};
    Error error = {0};
    Trace *trace = trace_make(shapes, &error);
    assert_non_null(trace);
    trace_write(trace, heads[0], encoder, 3, NULL);
    trace_write(trace, heads[1], decoder, 2, causal);
    trace_write(trace, heads[2], cross, 3, NULL);
    return (AttentionData){.trace = trace,
                           .source = source,
                           .reads = reads,
                           .writes = writes,
                           .heads = heads,
                           .head_count = 3};
}

static void free_data(AttentionData *data) {
    trace_free((Trace *)data->trace);
}

/* The file of the maps, as bytes with a 0 after them. */
static char *saved(const AttentionData *data, const char *name, size_t *size) {
    Error error = {0};
    if (!attention_data_save(data, in_folder(name), &error)) fail_msg("%s", error.text);
    return (char *)read_bytes(in_folder(name), size);
}

static void test_csv(void **state) {
    (void)state;
    AttentionData data = made_data();
    size_t size;
    char *text = saved(&data, "a.csv", &size);
    static const char start[] =
        "site,layer,head,query,key,query_token,writes,key_token,weight,masked\n"
        "encoder,0,0,0,0,\"\"\"\",\"\",\"\"\"\",0.333333343,0\n"
        "encoder,0,0,0,1,\"\"\"\",\"\",\",\",0.666666687,0\n"
        "encoder,0,0,0,2,\"\"\"\",\"\",\"\xC3\xA4\",0,0\n";
    static const char decoder[] = "\ndecoder,0,1,0,0,\"<s>\",\"a\",\"<s>\",1,0\n"
                                  "decoder,0,1,0,1,\"<s>\",\"a\",\"a\",0,1\n"
                                  "decoder,0,1,1,0,\"a\",\"</s>\",\"<s>\",0.25,0\n"
                                  "decoder,0,1,1,1,\"a\",\"</s>\",\"a\",0.75,0\n"
                                  "cross,0,1,0,0,\"<s>\",\"a\",\"\"\"\",0.5,0\n";
    assert_memory_equal(text, start, sizeof start - 1);
    assert_non_null(strstr(text, decoder));
    int lines = 0;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    assert_int_equal(lines, 1 + 9 + 4 + 6);
    free(text);
    free_data(&data);
}

static void assert_texts(const cJSON *list, const char *const *texts, int count) {
    assert_int_equal(cJSON_GetArraySize(list), count);
    for (int i = 0; i < count; i++)
        assert_string_equal(cJSON_GetStringValue(cJSON_GetArrayItem(list, i)), texts[i]);
}

static void test_json(void **state) {
    (void)state;
    AttentionData data = made_data();
    size_t size;
    char *text = saved(&data, "a.json", &size);
    cJSON *root = cJSON_ParseWithOpts(text, NULL, true);
    assert_non_null(root);
    assert_texts(cJSON_GetObjectItem(root, "source_tokens"), source, 3);
    assert_texts(cJSON_GetObjectItem(root, "target_reads"), reads, 2);
    assert_texts(cJSON_GetObjectItem(root, "target_writes"), writes, 2);
    const cJSON *list = cJSON_GetObjectItem(root, "heads");
    assert_int_equal(cJSON_GetArraySize(list), 3);
    for (int i = 0; i < 3; i++) {
        const cJSON *head = cJSON_GetArrayItem(list, i);
        const cJSON *weights = cJSON_GetObjectItem(head, "weights");
        TraceShape shape = trace_shape(data.trace, heads[i].site);
        assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(head, "site")),
                            site_name(heads[i].site));
        assert_int_equal(cJSON_GetObjectItem(head, "layer")->valueint, heads[i].layer);
        assert_int_equal(cJSON_GetObjectItem(head, "head")->valueint, heads[i].head);
        assert_int_equal(cJSON_GetArraySize(weights), shape.queries);
        for (int query = 0; query < shape.queries; query++) {
            const cJSON *row = cJSON_GetArrayItem(weights, query);
            assert_int_equal(cJSON_GetArraySize(row), shape.keys);
            for (int key = 0; key < shape.keys; key++) {
                CellState cell;
                float weight = trace_cell(data.trace, heads[i], query, key, &cell);
                const cJSON *item = cJSON_GetArrayItem(row, key);
                assert_int_equal(cJSON_IsNull(item), cell == CELL_MASKED);
                if (cell == CELL_VALUE) assert_true((float)item->valuedouble == weight);
            }
        }
    }
    cJSON_Delete(root);
    free(text);
    free_data(&data);
}

/* Keys that are masked in mid-row are said to be, and written as 0. */
static void test_any_visible_set(void **state) {
    (void)state;
    static const unsigned char visible[6] = {1, 0, 1, 0, 0, 1};
    static const float cells[6] = {0.5F, 0, 0.25F, 0, 0, 1};
    static const int32_t key_len[2] = {3, 3};
    AttentionData data = made_data();
    assert_true(trace_set_visible((Trace *)data.trace, heads[2], visible, NULL));
    size_t size;
    char *text = saved(&data, "a.csv", &size);
    assert_non_null(strstr(text, "\ncross,0,1,0,0,\"<s>\",\"a\",\"\"\"\",0.5,0\n"
                                 "cross,0,1,0,1,\"<s>\",\"a\",\",\",0,1\n"
                                 "cross,0,1,0,2,\"<s>\",\"a\",\"\xC3\xA4\",0.25,0\n"
                                 "cross,0,1,1,0,\"a\",\"</s>\",\"\"\"\",0,1\n"));
    free(text);
    text = saved(&data, "a.json", &size);
    assert_non_null(strstr(text, "[[0.5,null,0.25],[null,null,1]]"));
    free(text);
    Safetensors file;
    Error error = {0};
    if (!attention_data_save(&data, in_folder("a.safetensors"), &error) ||
        !safetensors_open(&file, in_folder("a.safetensors"), &error) ||
        !safetensors_read_numbers(&file, &error))
        fail_msg("%s", error.text);
    assert_memory_equal(arrays_find(&file.arrays, "cross.0.1")->bytes, cells, sizeof cells);
    assert_memory_equal(arrays_find(&file.arrays, "cross.0.1.key_len")->bytes, key_len,
                        sizeof key_len);
    safetensors_close(&file);
    free_data(&data);
}

/* JSON has no NaN: such a cell is null there. */
static void test_json_without_nan(void **state) {
    (void)state;
    AttentionData data = made_data();
    const float cells[4] = {NAN, 0, INFINITY, 1};
    trace_write((Trace *)data.trace, heads[1], cells, 2, NULL);
    size_t size;
    char *text = saved(&data, "a.json", &size);
    assert_non_null(strstr(text, "[[null,0],[null,1]]"));
    free(text);
    free_data(&data);
}

/* The bytes of one array of an npz file. */
static void assert_array(const char *path, const char *name, const char *descr, const void *bytes,
                         size_t size) {
    unsigned char held[1024];
    zip_t *archive = zip_open(path, ZIP_RDONLY | ZIP_CHECKCONS, NULL);
    assert_non_null(archive);
    zip_file_t *file = zip_fopen(archive, name, 0);
    if (!file) fail_msg("no array %s", name);
    zip_int64_t read = zip_fread(file, held, sizeof held);
    zip_fclose(file);
    zip_discard(archive);
    assert_true(read > 10);
    assert_memory_equal(held, "\x93NUMPY\x01\x00", 8);
    size_t header = 10 + held[8] + 256U * held[9];
    assert_int_equal(header % 64, 0);
    assert_int_equal((size_t)read, header + size);
    assert_int_equal(held[header - 1], '\n');
    held[header - 1] = '\0';
    if (!strstr((char *)held + 10, descr)) fail_msg("'%s' lacks %s", (char *)held + 10, descr);
    assert_memory_equal(held + header, bytes, size);
}

static void test_npz(void **state) {
    (void)state;
    AttentionData data = made_data();
    size_t size, again;
    char *first = saved(&data, "a.npz", &size), *second = saved(&data, "b.NPZ", &again);
    assert_memory_equal(first, "PK", 2);
    assert_int_equal(size, again);
    assert_memory_equal(first, second, size);
    static const float decoder[4] = {1, 0, 0.25F, 0.75F};
    static const int32_t key_len[2] = {1, 2};
    assert_array(in_folder("a.npz"), "decoder.0.1.npy",
                 "'descr': '<f4', 'fortran_order': False, 'shape': (2,2,)", decoder,
                 sizeof decoder);
    assert_array(in_folder("a.npz"), "decoder.0.1.key_len.npy",
                 "'descr': '<i4', 'fortran_order': False, 'shape': (2,)", key_len, sizeof key_len);
    static const char json[] = "[\"<s>\",\"a\"]";
    char wide[4 * sizeof json] = {0};
    for (size_t i = 0; i < sizeof json; i++)
        wide[4 * i] = json[i];
    assert_array(in_folder("a.npz"), "target_reads.npy", "'<U11'", wide, 44);
    free(first);
    free(second);
    free_data(&data);
}

static void test_safetensors(void **state) {
    (void)state;
    AttentionData data = made_data();
    Safetensors file;
    Error error = {0};
    const char *path = in_folder("a.safetensors");
    if (!attention_data_save(&data, path, &error) || !safetensors_open(&file, path, &error) ||
        !safetensors_read_numbers(&file, &error))
        fail_msg("%s", error.text);
    static const float decoder[4] = {1, 0, 0.25F, 0.75F};
    static const int32_t key_len[2] = {1, 2};
    assert_int_equal(arrays_count_numbers(&file.arrays), 6);
    assert_memory_equal(arrays_find(&file.arrays, "decoder.0.1")->bytes, decoder, sizeof decoder);
    assert_memory_equal(arrays_find(&file.arrays, "decoder.0.1.key_len")->bytes, key_len,
                        sizeof key_len);
    assert_string_equal(arrays_find_text(&file.arrays, "source_tokens"),
                        "[\"\\\"\",\",\",\"\xC3\xA4\"]");
    assert_string_equal(arrays_find_text(&file.arrays, "target_writes"), "[\"a\",\"</s>\"]");
    safetensors_close(&file);
    free_data(&data);
}

static void test_endings(void **state) {
    (void)state;
    static const char *const wrong[] = {"a.txt", "a", "", ".csv", "a.csv.gz", "csv", "a.npy"};
    AttentionData data = made_data();
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        Error error = {0};
        if (attention_data_check_path(wrong[i], &error)) fail_msg("'%s' was taken", wrong[i]);
        assert_int_equal(error.kind, ERROR_USAGE);
        assert_non_null(strstr(error.text, ".csv, .json, .npz or .safetensors"));
    }
    static const char *const right[] = {"a.csv", "a.b.json", "/x/a.NPZ", "a.Safetensors"};
    for (int i = 0; i < 4; i++)
        assert_true(attention_data_check_path(right[i], NULL));
    Error error = {0};
    assert_false(attention_data_save(&data, in_folder("a.txt"), &error));
    assert_int_equal(error.kind, ERROR_USAGE);
    assert_int_equal(folder_entries(test_folder, false), 0);
    free_data(&data);
}

static void test_place_that_takes_no_file(void **state) {
    (void)state;
    static const char *const names[] = {"no/a.csv", "no/a.json", "no/a.npz", "no/a.safetensors"};
    AttentionData data = made_data();
    for (int i = 0; i < 4; i++) {
        Error error = {0};
        assert_false(attention_data_save(&data, in_folder(names[i]), &error));
        assert_int_equal(error.kind, ERROR_FAILED);
        assert_non_null(strstr(error.text, names[i]));
        assert_non_null(strstr(error.text, "No such file"));
    }
    free_data(&data);
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
        IN_FOLDER(test_csv),
        IN_FOLDER(test_json),
        IN_FOLDER(test_any_visible_set),
        IN_FOLDER(test_json_without_nan),
        IN_FOLDER(test_npz),
        IN_FOLDER(test_safetensors),
        IN_FOLDER(test_endings),
        IN_FOLDER(test_place_that_takes_no_file),
    };
    return cmocka_run_group_tests(tests, open_zip, NULL);
}
