/* Attention of other programs: each container, number type and order gives the same maps; masks are
 * told from zeros that all rows share; and what cannot be drawn is said in one line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <zip.h>

#include "data/arrays/npz_save.h"
#include "data/attention/attention_file.h"
#include "tests/data/helper_files.h"

static const AttentionFileOptions plain = {.example = -1};

/* --- files by hand ---------------------------------------------------------------------------- */

/* The shape of an array as Python writes it, and how many numbers it has. */
static size_t put_npy(const char *path, const char *descr, bool fortran, const char *shape,
                      const void *data, size_t bytes) {
    char header[200];
    int length =
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n",
                 descr, fortran ? "True" : "False", shape);
    unsigned char start[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)length, 0};
    unsigned char *all = malloc(10 + (size_t)length + bytes);
    assert_non_null(all);
    memcpy(all, start, 10);
    memcpy(all + 10, header, (size_t)length);
    memcpy(all + 10 + length, data, bytes);
    write_bytes(path, all, 10 + (size_t)length + bytes);
    free(all);
    return bytes;
}

static const char *npy(const char *name, const char *shape, const float *data, int count) {
    const char *path = in_folder(name);
    put_npy(path, "<f4", false, shape, data, (size_t)count * sizeof *data);
    return path;
}

static AttentionFile opened(const char *path, AttentionFileOptions options) {
    AttentionFile file;
    Error error = {0};
    if (!attention_file_open(&file, path, &options, &error)) fail_msg("%s", error.text);
    return file;
}

static void assert_refused(const char *path, AttentionFileOptions options, ErrorKind kind,
                           const char *words) {
    AttentionFile file;
    Error error = {0};
    if (attention_file_open(&file, path, &options, &error)) fail_msg("%s: was opened", path);
    assert_one_line(&error);
    assert_int_equal(error.kind, kind);
    if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
    assert_null(file.trace);
}

static void assert_shape(const AttentionFile *file, Site site, int layers, int heads, int queries,
                         int keys) {
    TraceShape shape = trace_shape(file->trace, site);
    assert_int_equal(shape.layers, layers);
    assert_int_equal(shape.heads, heads);
    assert_int_equal(shape.queries, queries);
    assert_int_equal(shape.keys, keys);
}

/* [2 layers, 2 heads, 2 queries, 3 keys], each exact in every type. */
enum { MAP_NUMBERS = 24 };
static float number_of(int index) {
    static const float rows[4][3] = {
        {0.5F, 0.25F, 0.25F}, {0.125F, 0.125F, 0.75F}, {0.25F, 0.5F, 0.25F}, {0.5F, 0, 0.5F}};
    return rows[(index / 3 + index / 6) % 4][index % 3];
}

static void assert_numbers(const AttentionFile *file, Site site) {
    assert_shape(file, site, 2, 2, 2, 3);
    for (int index = 0; index < MAP_NUMBERS; index++) {
        HeadId id = {site, index / 12, index / 6 % 2};
        CellState cell;
        float weight = trace_cell(file->trace, id, index / 3 % 2, index % 3, &cell);
        assert_int_equal(cell, CELL_VALUE);
        if (weight != number_of(index)) fail_msg("number %d is %g", index, (double)weight);
    }
}

/* --- types, orders, containers ---------------------------------------------------------------- */

/* The place of a number in C order when it stands at `index` in Fortran order, of [2,2,2,3]. */
static int of_fortran(int index) {
    return index % 2 * 12 + index / 2 % 2 * 6 + index / 4 % 2 * 3 + index / 8;
}

static uint16_t half_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return value == 0 ? 0 : (uint16_t)(((bits >> 23) - 112) << 10 | (bits >> 13 & 1023));
}

static bool is_attention(const char *name) {
    bool is = false;
    Error error = {0};
    if (!attention_file_judge(in_folder(name), &is, &error)) fail_msg("%s", error.text);
    return is;
}

static void test_types_and_orders(void **state) {
    (void)state;
    static const AttentionFileOptions cross = {.example = -1, .site = "cross"};
    double doubles[MAP_NUMBERS];
    float singles[MAP_NUMBERS], fortran[MAP_NUMBERS];
    uint16_t halves[MAP_NUMBERS];
    unsigned char big[4 * MAP_NUMBERS];
    for (int i = 0; i < MAP_NUMBERS; i++) {
        uint32_t bits;
        doubles[i] = (double)number_of(i);
        singles[i] = number_of(i);
        halves[i] = half_of(number_of(i));
        fortran[i] = number_of(of_fortran(i));
        memcpy(&bits, &singles[i], sizeof bits);
        for (int byte = 0; byte < 4; byte++)
            big[4 * i + byte] = (unsigned char)(bits >> (24 - 8 * byte) & 255);
    }
    const char *shape = "(2, 2, 2, 3)";
    put_npy(in_folder("a.npy"), "<f4", false, shape, singles, sizeof singles);
    put_npy(in_folder("b.npy"), "<f8", false, shape, doubles, sizeof doubles);
    put_npy(in_folder("c.npy"), "<f2", false, shape, halves, sizeof halves);
    put_npy(in_folder("d.npy"), ">f4", false, shape, big, sizeof big);
    put_npy(in_folder("e.npy"), "<f4", true, shape, fortran, sizeof fortran);
    static const char *const names[] = {"a.npy", "b.npy", "c.npy", "d.npy", "e.npy"};
    for (int i = 0; i < 5; i++) {
        AttentionFile file = opened(in_folder(names[i]), cross);
        assert_numbers(&file, SITE_CROSS);
        assert_true(is_attention(names[i]));
        assert_int_equal(file.source_count, 3);
        assert_string_equal(file.source[2], "2");
        assert_int_equal(file.read_count, 2);
        attention_file_free(&file);
    }
}

/* What a half can be besides plain numbers. */
static void test_halves(void **state) {
    (void)state;
    static const uint16_t halves[4] = {0x0001, 0x7C00, 0x7E01, 0x8400};
    put_npy(in_folder("h.npy"), "<f2", false, "(1, 1, 2, 2)", halves, sizeof halves);
    AttentionFile file = opened(in_folder("h.npy"), plain);
    HeadId id = {SITE_ENCODER, 0, 0};
    CellState cell;
    assert_true(trace_cell(file.trace, id, 0, 0, NULL) == 0x1p-24F);
    assert_true(isinf(trace_cell(file.trace, id, 0, 1, &cell)));
    assert_int_equal(cell, CELL_NAN);
    assert_true(isnan(trace_cell(file.trace, id, 1, 0, &cell)));
    assert_true(trace_cell(file.trace, id, 1, 1, NULL) == -0x1p-14F);
    assert_true(trace_shows(file.trace, id, CELL_NAN));
    attention_file_free(&file);
}

/* Safetensors with a tensor for each layer and tokens in its metadata; one layer is bf16. */
static void test_safetensors(void **state) {
    (void)state;
    static const char header[] =
        "{\"__metadata__\":{\"encoder_tokens\":\"[\\\"x\\\",\\\"y\\\",\\\"z\\\"]\","
        "\"decoder_tokens\":\"[\\\"<s>\\\",\\\"a\\\"]\",\"next_tokens\":\"[\\\"a\\\",\\\"b\\\"]\"},"
        "\"cross_attentions.0\":{\"dtype\":\"F32\",\"shape\":[1,2,2,3],\"data_offsets\":[0,48]},"
        "\"cross_attentions.1\":{\"dtype\":\"BF16\",\"shape\":[1,2,2,3],\"data_offsets\":[48,72]}}";
    unsigned char data[72];
    size_t size;
    for (int i = 0; i < 12; i++) {
        float first = number_of(i), second = number_of(12 + i);
        memcpy(data + 4 * i, &first, 4);
        memcpy(data + 48 + 2 * i, (unsigned char *)&second + 2, 2);
    }
    unsigned char *bytes = file_of(header, data, sizeof data, &size);
    write_bytes(in_folder("s.safetensors"), bytes, size);
    free(bytes);
    assert_true(is_attention("s.safetensors"));
    AttentionFile file = opened(in_folder("s.safetensors"), plain);
    assert_numbers(&file, SITE_CROSS);
    assert_string_equal(file.source[1], "y");
    assert_string_equal(file.reads[0], "<s>");
    assert_string_equal(file.writes[1], "b");
    assert_string_equal(file.note, "");
    attention_file_free(&file);
}

/* An npz of several sites, packed, or so large that it is looked at where it lies. */
static void test_npz(void **state) {
    (void)state;
    enum { SIDE = 512, LAYERS = 2 };
    size_t count = (size_t)LAYERS * SIDE * SIDE;
    float *large = malloc(count * sizeof *large), cross[MAP_NUMBERS];
    assert_non_null(large);
    for (size_t i = 0; i < count; i++)
        large[i] = i % SIDE == i / SIDE % SIDE ? 1 : 0;
    large[SIDE * 7 + 9] = 0.001F; /* after query 7: no causal mask */
    for (int i = 0; i < MAP_NUMBERS; i++)
        cross[i] = number_of(i);
    Tensor tensors[] = {{"encoder", TENSOR_F32, 4, {LAYERS, 1, SIDE, SIDE}, large},
                        {"other", TENSOR_F32, 1, {3}, cross}};
    Error error = {0};
    if (!npz_save(in_folder("large.npz"), tensors, 2, NULL, 0, &error)) fail_msg("%s", error.text);
    AttentionFile file = opened(in_folder("large.npz"), plain);
    assert_shape(&file, SITE_ENCODER, LAYERS, 1, SIDE, SIDE);
    HeadId id = {SITE_ENCODER, 0, 0};
    assert_true(trace_cell(file.trace, id, 7, 9, NULL) == 0.001F);
    assert_true(trace_cell(file.trace, id, 511, 511, NULL) == 1);
    assert_int_equal(trace_key_len(file.trace, id, 0), SIDE);
    trace_done(file.trace, id);
    assert_true(trace_cell(file.trace, (HeadId){SITE_ENCODER, 1, 0}, 300, 300, NULL) == 1);
    attention_file_free(&file);
    free(large);
}

/* --- masks ------------------------------------------------------------------------------------ */

static void test_a_causal_mask_and_padding(void **state) {
    (void)state;
    static const float maps[2][4][4] = {
        {{1, 0, 0, 0}, {0.5F, 0.5F, 0, 0}, {0, 0, 1, 0}, {0.25F, 0.25F, 0.5F, 0}},
        {{1, 0, 0, 0}, {0, 1, 0, 0}, {0.5F, 0, 0.5F, 0}, {NAN, NAN, NAN, NAN}}};
    AttentionFile file = opened(npy("m.npy", "(1, 2, 4, 4)", maps[0][0], 32), plain);
    assert_shape(&file, SITE_DECODER, 1, 2, 4, 4);
    static const int seen[4] = {1, 2, 3, 3};
    for (int query = 0; query < 4; query++)
        assert_int_equal(trace_key_len(file.trace, (HeadId){SITE_DECODER, 0, 1}, query),
                         seen[query]);
    CellState cell;
    trace_cell(file.trace, (HeadId){SITE_DECODER, 0, 0}, 2, 1, &cell);
    assert_int_equal(cell, CELL_VALUE); /* a 0 that is seen */
    trace_cell(file.trace, (HeadId){SITE_DECODER, 0, 1}, 3, 1, &cell);
    assert_int_equal(cell, CELL_NAN);
    attention_file_free(&file);
    /* A single weight in one head, and no key is masked for either. */
    float open[32];
    memcpy(open, maps, sizeof open);
    open[16 + 3] = 0.5F;
    open[16] = 0.5F;
    file = opened(npy("o.npy", "(1, 2, 4, 4)", open, 32), plain);
    assert_shape(&file, SITE_ENCODER, 1, 2, 4, 4);
    assert_false(trace_shows(file.trace, (HeadId){SITE_ENCODER, 0, 0}, CELL_MASKED));
    attention_file_free(&file);
}

/* What decoding step by step leaves: the prompt's map, then a row for each token. */
static void test_steps(void **state) {
    (void)state;
    static const char header[] =
        "{\"decoder.step0.layer0\":{\"dtype\":\"F32\",\"shape\":[1,1,2,2],\"data_offsets\":[0,16]},"
        "\"decoder.step1.layer0\":{\"dtype\":\"F32\",\"shape\":[1,1,1,3],\"data_offsets\":[16,28]},"
        "\"decoder.step2.layer0\":{\"dtype\":\"F32\",\"shape\":[1,1,1,4],\"data_offsets\":[28,44]}"
        "}";
    static const float data[11] = {0.5F, 0.5F,  0.25F, 0.75F, 0,    0.5F,
                                   0.5F, 0.25F, 0.25F, 0.25F, 0.25F};
    size_t size;
    unsigned char *bytes = file_of(header, data, sizeof data, &size);
    AttentionFile file;
    Error error = {0};
    if (!attention_file_from_bytes(&file, "steps", bytes, size, &plain, &error))
        fail_msg("%s", error.text);
    static const int seen[4] = {2, 2, 3, 4};
    assert_shape(&file, SITE_DECODER, 1, 1, 4, 4);
    HeadId id = {SITE_DECODER, 0, 0};
    for (int query = 0; query < 4; query++)
        assert_int_equal(trace_key_len(file.trace, id, query), seen[query]);
    assert_true(trace_cell(file.trace, id, 1, 1, NULL) == 0.75F);
    assert_true(trace_cell(file.trace, id, 2, 2, NULL) == 0.5F);
    assert_true(trace_cell(file.trace, id, 3, 2, NULL) == 0.25F);
    attention_file_free(&file);
    free(bytes);
}

/* --- what must be asked or refused ------------------------------------------------------------ */

static void test_what_is_assumed_is_said(void **state) {
    (void)state;
    float data[MAP_NUMBERS];
    for (int i = 0; i < MAP_NUMBERS; i++)
        data[i] = i % 3 ? 0.25F : 0.5F;
    AttentionFile file = opened(npy("a.npy", "(2, 4, 1, 3)", data, MAP_NUMBERS),
                                (AttentionFileOptions){.example = -1, .site = "cross"});
    assert_non_null(strstr(file.note, "2 layers of 4 heads"));
    assert_shape(&file, SITE_CROSS, 2, 4, 1, 3);
    attention_file_free(&file);
    file = opened(in_folder("a.npy"), (AttentionFileOptions){.example = 1, .site = "cross"});
    assert_shape(&file, SITE_CROSS, 1, 4, 1, 3);
    assert_string_equal(file.note, "");
    attention_file_free(&file);
    assert_refused(in_folder("a.npy"), (AttentionFileOptions){.example = 2, .site = "cross"},
                   ERROR_USAGE, "there is no example 2");
    assert_refused(in_folder("a.npy"), plain, ERROR_USAGE, "--site cross");
    /* rows that do not sum to 1, but columns do */
    static const float swapped[4] = {0.25F, 0.5F, 0.75F, 0.5F};
    file = opened(npy("t.npy", "(2, 2)", swapped, 4), plain);
    assert_non_null(strstr(file.note, "--transpose"));
    attention_file_free(&file);
    file = opened(in_folder("t.npy"), (AttentionFileOptions){.example = -1, .transposed = true});
    assert_true(trace_cell(file.trace, (HeadId){SITE_ENCODER, 0, 0}, 0, 1, NULL) == 0.75F);
    assert_string_equal(file.note, "");
    attention_file_free(&file);
    static const float logits[4] = {3, 1, 2, 2};
    file = opened(npy("l.npy", "(2, 2)", logits, 4), plain);
    assert_non_null(strstr(file.note, "row 0 sums to 4"));
    attention_file_free(&file);
}

static void write_text(const char *name, const char *text) {
    write_bytes(in_folder(name), text, strlen(text));
}

static void test_tokens(void **state) {
    (void)state;
    float data[6] = {0.5F, 0.25F, 0.25F, 0.25F, 0.25F, 0.5F};
    AttentionFileOptions options = {.example = -1};
    options.tokens = in_folder("t.json");
    const char *path = npy("a.npy", "(2, 3)", data, 6);
    write_text("t.json", "{\"query\": [\"a\", \"b\"], \"key\": [\"x\", \"y\", \"z\"]}");
    AttentionFile file = opened(path, options);
    assert_shape(&file, SITE_CROSS, 1, 1, 2, 3);
    assert_string_equal(file.source[2], "z");
    assert_string_equal(file.reads[1], "b");
    attention_file_free(&file);
    /* the last two of three tokens ask */
    write_text("t.json", "{\"all\": [\"a\", \"b\", \"c\"], \"row_offset\": 1}");
    file = opened(path, options);
    assert_shape(&file, SITE_DECODER, 1, 1, 2, 3);
    assert_int_equal(file.first_query, 1);
    attention_file_free(&file);
    write_text("t.json", "{\"query\": [\"a\", \"b\"], \"key\": [\"x\", \"y\", \"z\"], "
                         "\"valid_lens\": [2, 0]}");
    file = opened(path, options);
    assert_int_equal(trace_key_len(file.trace, (HeadId){SITE_CROSS, 0, 0}, 0), 2);
    assert_int_equal(trace_key_len(file.trace, (HeadId){SITE_CROSS, 0, 0}, 1), 0);
    attention_file_free(&file);
    /* one too many: both numbers */
    options.site = "cross";
    write_text("t.json", "{\"encoder_tokens\": [\"x\", \"y\", \"z\", \"!\"]}");
    assert_refused(path, options, ERROR_USAGE, "3 keys, but 4 tokens");
    write_text("t.json", "{\"encoder_tokens\": \"x y z\"}");
    assert_refused(path, options, ERROR_USAGE, "must be a JSON list");
    write_text("t.json", "[\"x\", 2]");
    assert_refused(path, options, ERROR_USAGE, "a token must be a text");
    write_text("t.json", "nothing");
    assert_refused(path, options, ERROR_USAGE, "is no JSON");
    options.tokens = in_folder("none.json");
    assert_refused(path, options, ERROR_FAILED, "cannot be opened");
}

static void test_refused(void **state) {
    (void)state;
    static const float data[12] = {1, 1};
    assert_refused(npy("v.npy", "(2,)", data, 2), plain, ERROR_USAGE, "(2): it has less than two");
    assert_refused(npy("e.npy", "(2, 2, 0, 0)", data, 0), plain, ERROR_USAGE, "it is empty");
    assert_refused(npy("w.npy", "(6, 2)", data, 12), plain, ERROR_USAGE, "6 queries and 2 keys");
    assert_refused(npy("x.npy", "(6, 2)", data, 12),
                   (AttentionFileOptions){.example = -1, .site = "encoder"}, ERROR_USAGE,
                   "6 queries and 2 keys");
    assert_refused(npy("y.npy", "(6, 2)", data, 12),
                   (AttentionFileOptions){.example = -1, .site = "middle"}, ERROR_USAGE,
                   "--site middle");
    assert_refused(npy("c.npy", "(3, 6)", data, 12), plain, ERROR_FAILED, "12 of 18 values");
    put_npy(in_folder("i.npy"), "<i4", false, "(1, 2)", data, 8);
    assert_refused(in_folder("i.npy"), plain, ERROR_USAGE, "whole numbers");
    put_npy(in_folder("o.npy"), "|O", false, "(1, 2)", data, 8);
    assert_refused(in_folder("o.npy"), plain, ERROR_FAILED, "never read");
    write_text("t.txt", "{}");
    assert_refused(in_folder("t.txt"), plain, ERROR_FAILED, "neither safetensors");
    write_text("t.txt", "");
    assert_refused(in_folder("t.txt"), plain, ERROR_FAILED, "empty");
    assert_refused(in_folder("none"), plain, ERROR_FAILED, "cannot be opened");
    assert_refused(test_folder, plain, ERROR_FAILED, "no regular file");
}

/* Layers that do not fit each other, that are named twice, that are missing. */
static void test_layers(void **state) {
    (void)state;
    static const float one[4] = {1, 0, 0.5F, 0.5F}, other[8] = {1, 0, 0.5F, 0.5F, 0, 1, 1, 0};
    Error error = {0};
    Tensor tensors[] = {{"encoder.0", TENSOR_F32, 3, {1, 2, 2}, one},
                        {"encoder.2", TENSOR_F32, 3, {1, 2, 2}, one}};
    assert_true(npz_save(in_folder("a.npz"), tensors, 2, NULL, 0, &error));
    AttentionFile file = opened(in_folder("a.npz"), plain);
    assert_shape(&file, SITE_ENCODER, 3, 1, 2, 2);
    assert_true(trace_shows(file.trace, (HeadId){SITE_ENCODER, 1, 0}, CELL_MISSING));
    assert_false(trace_shows(file.trace, (HeadId){SITE_ENCODER, 2, 0}, CELL_MISSING));
    assert_non_null(strstr(file.note, "no layer 1"));
    attention_file_free(&file);
    tensors[1] = (Tensor){"encoder_2", TENSOR_F32, 3, {1, 1, 2}, other};
    assert_true(npz_save(in_folder("b.npz"), tensors, 2, NULL, 0, &error));
    assert_refused(in_folder("b.npz"), plain, ERROR_USAGE, "do not fit together");
    tensors[1] = (Tensor){"encoder_attentions_0", TENSOR_F32, 3, {1, 2, 2}, one};
    assert_true(npz_save(in_folder("c.npz"), tensors, 2, NULL, 0, &error));
    assert_refused(in_folder("c.npz"), plain, ERROR_USAGE, "the same map");
    tensors[1] = (Tensor){"encoder.1000.63", TENSOR_F32, 2, {2, 2}, one};
    assert_true(npz_save(in_folder("d.npz"), tensors, 2, NULL, 0, &error));
    assert_refused(in_folder("d.npz"), plain, ERROR_USAGE, "1001 layers of 64 heads");
    tensors[1] = (Tensor){"encoder_attentions_0", TENSOR_F32, 3, {1, 2, 2}, one};
    tensors[0].name = "first";
    tensors[1].name = "second";
    assert_true(npz_save(in_folder("d.npz"), tensors, 2, NULL, 0, &error));
    assert_refused(in_folder("d.npz"), plain, ERROR_USAGE, "it has first, second");
}

/* Every cut of a file is refused in one line, and none is read past its end. */
static void test_cut_files(void **state) {
    (void)state;
    static const float data[4] = {1, 0, 0.5F, 0.5F};
    Tensor tensor = {"encoder.0", TENSOR_F32, 3, {1, 2, 2}, data};
    Error error = {0};
    assert_true(npz_save(in_folder("a.npz"), &tensor, 1, NULL, 0, &error));
    assert_true(safetensors_save(in_folder("a.safetensors"), &tensor, 1, NULL, 0, &error));
    npy("a.npy", "(2, 2)", data, 4);
    static const char *const names[] = {"a.npz", "a.safetensors", "a.npy"};
    for (int i = 0; i < 3; i++) {
        size_t size;
        unsigned char *bytes = read_bytes(in_folder(names[i]), &size);
        for (size_t cut = 0; cut < size; cut++) {
            AttentionFile file;
            unsigned char *part = malloc(cut ? cut : 1);
            memcpy(part, bytes, cut);
            error = (Error){0};
            assert_false(attention_file_from_bytes(&file, "cut", part, cut, &plain, &error));
            assert_one_line(&error);
            free(part);
        }
        free(bytes);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_types_and_orders, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_halves, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_safetensors, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_npz, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_a_causal_mask_and_padding, make_folder, remove_folder),
        cmocka_unit_test(test_steps),
        cmocka_unit_test_setup_teardown(test_what_is_assumed_is_said, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_tokens, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_refused, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_layers, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_cut_files, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
