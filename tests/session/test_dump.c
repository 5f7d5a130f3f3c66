/* Dumps of attention: which array is what, how its axes are read, what is asked, what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/check/dump.h"
#include "data/attention/array_names.h"

/* --- files by hand ---------------------------------------------------------------------------- */

enum { HEADER = 4000 };

/* Adds "name:2,4,100=3" to a safetensors header: a tensor of that shape, all of whose numbers are 3
 * (1 where nothing is said). A shape of nothing is a single number. */
static void add_tensor(char *header, float *data, size_t *count, const char *word) {
    const char *colon = strchr(word, ':'), *equals = strchr(word, '=');
    size_t shape = equals ? (size_t)(equals - colon) - 1 : strlen(colon + 1), numbers = 1;
    for (const char *at = colon + 1; at < colon + 1 + shape;) {
        char *end;
        numbers *= (size_t)strtol(at, &end, 10);
        at = *end == ',' ? end + 1 : end;
    }
    size_t used = strlen(header);
    snprintf(header + used, HEADER - used,
             "%s\"%.*s\":{\"dtype\":\"F32\",\"shape\":[%.*s],\"data_offsets\":[%zu,%zu]}",
             used > 1 ? "," : "", (int)(colon - word), word, (int)shape, colon + 1, 4 * *count,
             4 * (*count + numbers));
    for (size_t i = 0; i < numbers; i++)
        data[(*count)++] = equals ? strtof(equals + 1, NULL) : 1;
}

/* Arrays of a file that holds these tensors, parted by spaces. */
static Arrays arrays_of(const char *words) {
    static float data[1 << 20];
    char header[HEADER] = "{", word[100];
    size_t count = 0;
    for (const char *at = words; sscanf(at, "%99s", word) == 1;) {
        add_tensor(header, data, &count, word);
        at = strstr(at, word) + strlen(word);
    }
    strcat(header, "}");
    size_t length = strlen(header), size = 8 + length + 4 * count;
    unsigned char *bytes = calloc(size, 1);
    assert_non_null(bytes);
    bytes[0] = (unsigned char)(length & 255);
    bytes[1] = (unsigned char)(length >> 8);
    memcpy(bytes + 8, header, length);
    memcpy(bytes + 8 + length, data, 4 * count);
    Arrays arrays;
    Error error = {0};
    if (!arrays_from_bytes(&arrays, "f", bytes, size, 0, &error)) fail_msg("%s", error.text);
    free(bytes);
    return arrays;
}

static DumpFile read_with(const char *words, DumpOptions options) {
    Arrays arrays = arrays_of(words);
    DumpFile file;
    Error error = {0};
    if (!dump_read(&file, &arrays, "f", &options, &error)) fail_msg("%s: %s", words, error.text);
    return file;
}

static DumpFile read_words(const char *words) {
    return read_with(words, (DumpOptions){0});
}

static void refuse_with(const char *words, DumpOptions options, const char *reason) {
    Arrays arrays = arrays_of(words);
    DumpFile file;
    Error error = {0};
    if (dump_read(&file, &arrays, "f", &options, &error))
        fail_msg("%s: read, but expected: %s", words, reason);
    assert_int_equal(error.kind, ERROR_USAGE);
    assert_true(strncmp(error.text, "f: ", 3) == 0);
    assert_null(strchr(error.text, '\n'));
    if (!strstr(error.text, reason)) fail_msg("%s: '%s' lacks '%s'", words, error.text, reason);
    assert_null(file.arrays.arrays);
}

static void refuse(const char *words, const char *reason) {
    refuse_with(words, (DumpOptions){0}, reason);
}

static void assert_sizes(const DumpFile *file, int batch, int heads, int queries, int keys,
                         int head_width) {
    AttentionSizes sizes = file->dump.sizes;
    assert_int_equal(sizes.batch, batch);
    assert_int_equal(sizes.heads, heads);
    assert_int_equal(sizes.queries, queries);
    assert_int_equal(sizes.keys, keys);
    assert_int_equal(sizes.head_width, head_width);
}

/* Reads, compares the sizes, closes. */
static void assert_read(const char *words, DumpOptions options, int batch, int heads, int queries,
                        int keys, int head_width) {
    DumpFile file = read_with(words, options);
    assert_sizes(&file, batch, heads, queries, keys, head_width);
    dump_close(&file);
}

#define ALL                                                                                        \
    "x_query:2,4,100 x_key_value:2,6,100 w_q:100,100 w_k:100,100 w_v:100,100 w_o:100,100 "         \
    "query:2,4,100 key:2,6,100 value:2,6,100 weights:2,5,4,6 context:2,4,100 output:2,4,100 "      \
    "valid_lens:2=3"

/* --- what is read ----------------------------------------------------------------------------- */

static void test_everything(void **state) {
    (void)state;
    DumpFile file = read_words(ALL);
    assert_sizes(&file, 2, 5, 4, 6, 20);
    for (int part = 0; part < DUMP_PARTS; part++)
        if (part < DUMP_B_Q || part > DUMP_B_O) assert_non_null(file.dump.parts[part].numbers);
    assert_null(file.dump.parts[DUMP_B_Q].numbers);
    assert_true(file.dump.biases_unknown);
    assert_false(file.dump.parts[DUMP_QUERY].split);
    assert_int_equal(file.dump.parts[DUMP_QUERY].precision, PRECISION_F32);
    assert_int_equal(file.dump.site, SITE_CROSS);
    assert_false(file.dump.causal);
    assert_false(file.dump.per_query);
    assert_int_equal(file.dump.valid_lens[1], 3);
    dump_close(&file);
}

static void test_layouts(void **state) {
    (void)state;
    DumpOptions none = {0}, five = {.heads = 5};
    DumpFile file = read_words("query:2,5,4,20 key:2,5,6,20 weights:10,4,6");
    assert_sizes(&file, 2, 5, 4, 6, 20);
    assert_true(file.dump.parts[DUMP_KEY].split);
    dump_close(&file);
    /* Folded: the lengths, the output or the sources tell how many examples there are. */
    file = read_words("query:10,4,20 key:10,6,20 weights:10,4,6 valid_lens:2=3");
    assert_sizes(&file, 2, 5, 4, 6, 20);
    assert_true(file.dump.parts[DUMP_QUERY].split);
    assert_false(file.dump.parts[DUMP_WEIGHTS].averaged);
    dump_close(&file);
    assert_read("query:10,4,20 key:10,6,20 output:2,4,100", none, 2, 5, 4, 6, 20);
    assert_read("query:2,4,100 key:2,6,100 weights:10,4,6", none, 2, 5, 4, 6, 20);
    /* Averaged over heads. */
    file = read_with("query:2,4,100 key:2,6,100 weights:2,4,6", five);
    assert_sizes(&file, 2, 5, 4, 6, 20);
    assert_true(file.dump.parts[DUMP_WEIGHTS].averaged);
    dump_close(&file);
    /* One example without its axis. */
    assert_read("query:4,100 key:6,100 weights:5,4,6", none, 1, 5, 4, 6, 20);
    file = read_with("query:4,100 key:6,100 weights:4,6", five);
    assert_sizes(&file, 1, 5, 4, 6, 20);
    assert_true(file.dump.parts[DUMP_WEIGHTS].averaged);
    dump_close(&file);
    assert_read("weights:4,6 valid_lens:=3", none, 1, 0, 4, 6, 0);
    assert_read("weights:2,5,4,6", none, 2, 5, 4, 6, 0);
    assert_read("x_query:2,4,100 w_q:100,100 query:2,4,100", none, 2, 0, 4, 4, 100);
    /* heads=H of the file. */
    assert_read("query:2,4,100 key:2,6,100 output:2,4,100 heads:=5", none, 2, 5, 4, 6, 20);
}

/* One head: however it is laid out, it is the same numbers. */
static void test_one_head(void **state) {
    (void)state;
    DumpOptions one = {.heads = 1};
    assert_read("query:2,4,20 key:2,6,20 weights:2,4,6", one, 2, 1, 4, 6, 20);
    assert_read("query:2,1,4,20 key:2,6,20 weights:2,4,6", (DumpOptions){0}, 2, 1, 4, 6, 20);
}

/* A shape that can be read in two ways is asked about; --layout and more tensors settle it. */
static void test_asks(void **state) {
    (void)state;
    static const char words[] = "query:10,4,20 key:10,6,20 weights:10,4,6";
    refuse(words, "weights (10, 4, 6): how many heads? Give --heads H");
    refuse_with(words, (DumpOptions){.heads = 5},
                "query (10, 4, 20) can be read in two ways: 10 examples of width 20 (--layout "
                "BTW), or 2 examples x 5 heads of width 20 (--layout FTD)");
    assert_read(words, (DumpOptions){.heads = 5, .layout = "FTD"}, 2, 5, 4, 6, 20);
    assert_read(words, (DumpOptions){.heads = 5, .layout = "BTW"}, 10, 5, 4, 6, 4);
    refuse_with("weights:10,4,6", (DumpOptions){.heads = 5},
                "weights (10, 4, 6) can be read in two ways: 2 examples x 5 heads (--layout FTD), "
                "or 10 examples, averaged over heads (--layout BTW)");
    refuse("weights:10,4,6", "--layout BHTD: the heads of one example");
    assert_read("weights:10,4,6", (DumpOptions){.layout = "BHTD"}, 1, 10, 4, 6, 0);
    assert_read("weights:10,4,6", (DumpOptions){.layout = "BTW"}, 10, 0, 4, 6, 0);
    refuse("query:2,4,100 key:2,6,100 output:2,4,100", "how many heads?");
}

static void test_names_of_pytorch(void **state) {
    (void)state;
    DumpFile file = read_words("x_query:2,4,10 in_proj_weight:30,10 in_proj_bias:30=2 "
                               "out_proj.weight:10,10 out_proj.bias:10 attn:2,5,4,4 output:2,4,10");
    assert_sizes(&file, 2, 5, 4, 4, 2);
    const Array *stacked = arrays_find(&file.arrays, "in_proj_weight");
    assert_ptr_equal(file.dump.parts[DUMP_W_Q].numbers, stacked->numbers);
    assert_ptr_equal(file.dump.parts[DUMP_W_K].numbers, stacked->numbers + 100);
    assert_ptr_equal(file.dump.parts[DUMP_W_V].numbers, stacked->numbers + 200);
    assert_true(file.dump.parts[DUMP_B_V].numbers[9] == 2);
    assert_non_null(file.dump.parts[DUMP_W_O].numbers);
    assert_non_null(file.dump.parts[DUMP_WEIGHTS].numbers);
    assert_false(file.dump.biases_unknown);
    dump_close(&file);
    refuse("x_query:2,4,10 in_proj_weight:31,10 weights:2,5,4,4", "3 x width");
    refuse("x_query:2,4,10 in_proj_weight:33,11 weights:2,5,4,4",
           "in_proj_weight (33, 11) and x_query (2, 4, 10)");
    refuse("attn:2,5,4,4 weights:2,5,4,4", "weights and attn: both are weights");
    /* The only array is the weights, whatever its name. */
    assert_read("maps:2,5,4,6", (DumpOptions){0}, 2, 5, 4, 6, 0);
    assert_read("a:2,5,4,6 b:1,1,3,3", (DumpOptions){.weights = "b"}, 1, 1, 3, 3, 0);
}

static void test_sites(void **state) {
    (void)state;
    static const char square[] = "weights:2,5,4,4";
    static const struct {
        DumpOptions options;
        Site site;
        bool causal;
    } cases[] = {
        {{0}, SITE_ENCODER, false},
        {{.causal = true}, SITE_DECODER, true},
        {{.site = "self"}, SITE_ENCODER, false},
        {{.site = "self", .causal = true}, SITE_DECODER, true},
        {{.site = "encoder"}, SITE_ENCODER, false},
        {{.site = "encoder", .causal = true}, SITE_ENCODER, true},
        {{.site = "decoder"}, SITE_DECODER, true},
        {{.site = "decoder", .unmasked = true}, SITE_DECODER, false},
        {{.site = "cross"}, SITE_CROSS, false},
        {{.site = "cross", .causal = true}, SITE_CROSS, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        DumpFile file = read_with(square, cases[i].options);
        assert_int_equal(file.dump.site, cases[i].site);
        assert_int_equal(file.dump.causal, cases[i].causal);
        dump_close(&file);
    }
    DumpFile file = read_words("weights:2,5,4,4 causal:=1");
    assert_true(file.dump.causal);
    dump_close(&file);
    /* Two sources make it cross-attention, unless they are one. */
    file = read_words("x_query:2,4,10 x_key_value:2,4,10=2 weights:2,5,4,4");
    assert_int_equal(file.dump.site, SITE_CROSS);
    dump_close(&file);
    file = read_words("x_query:2,4,10 x_key_value:2,4,10 weights:2,5,4,4");
    assert_int_equal(file.dump.site, SITE_ENCODER);
    dump_close(&file);
    refuse_with("weights:2,5,4,6", (DumpOptions){.site = "decoder"}, "4 queries and 6 keys");
}

static void test_lengths(void **state) {
    (void)state;
    DumpFile file = read_with("weights:2,5,4,6", (DumpOptions){.valid_lens = "3,0"});
    assert_int_equal(file.dump.valid_lens[0], 3);
    assert_int_equal(file.dump.valid_lens[1], 0);
    dump_close(&file);
    file = read_with("weights:2,5,4,6", (DumpOptions){.valid_lens = "1,2,3,4,5,6,0,1"});
    assert_true(file.dump.per_query);
    assert_int_equal(file.dump.valid_lens[5], 6);
    dump_close(&file);
    file = read_words("weights:2,5,4,6 valid_lens:2,4=6");
    assert_true(file.dump.per_query);
    assert_int_equal(file.dump.valid_lens[7], 6);
    dump_close(&file);
    refuse("weights:2,5,4,6 valid_lens:2=7", "valid_lens: 7 for example 0");
    refuse("weights:2,5,4,6 valid_lens:2=2.5", "whole number from 0 to 6");
    refuse("weights:2,5,4,6 valid_lens:2=-1", "valid_lens: -1");
    refuse("weights:2,5,4,6 valid_lens:10=3", "not repeated per head");
    refuse("weights:2,5,4,6 valid_lens:2,6=1", "valid_lens (2, 6) and weights (2, 5, 4, 6)");
    refuse_with("weights:2,5,4,6", (DumpOptions){.valid_lens = "3"},
                "1 length, but the file holds 2 examples (8 queries in all)");
    refuse_with("weights:2,5,4,6", (DumpOptions){.valid_lens = "3,7"}, "7 for example 1");
}

/* Weights as columns are told by their shape where there are other tensors. */
static void test_columns(void **state) {
    (void)state;
    DumpFile file = read_words("query:2,5,4,20 key:2,5,6,20 weights:2,5,6,4");
    assert_sizes(&file, 2, 5, 4, 6, 20);
    assert_true(file.dump.parts[DUMP_WEIGHTS].transposed);
    dump_close(&file);
}

/* --- what is refused -------------------------------------------------------------------------- */

static void test_disagreements(void **state) {
    (void)state;
    refuse("query:2,4,100 key:2,6,90 weights:2,5,4,6",
           "key (2, 6, 90) and query (2, 4, 100): axis 2 of key, read as [BKW], is the width: 90, "
           "not 100");
    refuse("query:2,4,100 key:3,6,100 weights:2,5,4,6", "is the examples: 3, not 2");
    refuse("query:2,4,100 key:2,6,100 weights:2,5,4,7",
           "weights (2, 5, 4, 7) and key (2, 6, 100): axis 3");
    refuse("x_query:2,4,100 x_key_value:2,6,100 weights:2,5,4,4", "those of the queries' source?");
    refuse("query:2,4,100 key:2,6,100 weights:2,3,4,6",
           "query (2, 4, 100) and weights (2, 3, 4, 6): the width, 100, is no multiple of the "
           "heads, 3");
    refuse_with("query:2,4,100 key:2,6,100 weights:2,5,4,6", (DumpOptions){.heads = 4},
                "weights (2, 5, 4, 6) and --heads 4");
    refuse("x_query:2,4,100 w_q:100,100 w_k:100,100 weights:2,5,4,9",
           "weights (2, 5, 4, 9) has 9 keys, but x_query (2, 4, 100), the only source of keys, has "
           "4 steps: save what keys and values are made from as x_key_value");
    refuse("x_query:2,4,100 w_v:100,100 w_o:100,100 weights:2,5,4,5 output:2,4,100",
           "has 5 keys, but x_query (2, 4, 100), the only source of keys, has 4 steps: save what "
           "keys and values are made from as x_key_value; keys added by add_zero_attn or "
           "add_bias_kv are not read");
    assert_read("x_query:2,4,100 w_q:100,100 w_k:100,100 key:2,6,100 weights:2,5,4,6",
                (DumpOptions){0}, 2, 5, 4, 6, 20);
    refuse("x_query:2,4,100 w_q:100,90 query:2,4,100", "w_q (100, 90)");
    refuse("x_query:2,4,100 w_q:100,100 b_q:99 query:2,4,100", "b_q (99) and x_query");
    refuse("query:2,5,4,20 key:2,1,6,20 weights:2,5,4,6", "grouped key heads");
    refuse("query:4,2,100 key:6,2,100 weights:2,5,4,6", "save query.transpose(0, 1)");
    refuse("query:2,4,5,20 key:2,6,5,20 weights:2,5,4,6", "save query.transpose(1, 2)");
}

static void test_bad_tensors(void **state) {
    (void)state;
    refuse("weights:2", "weights (2): it has 1 axis; it is read as one of [BHQK], [FQK], [BQK]");
    refuse("weights:1,2,5,4,6", "it has 5 axes");
    refuse("weights:2,5,0,6", "weights (2, 5, 0, 6): it is empty");
    refuse("weights:2,5,4,6=nan", "not one of its 240 numbers is finite");
    refuse("x_query:1,9000,1 x_key_value:1,9000,1 w_q:1,1 w_k:1,1 output:1,9000,1 heads:=1",
           "are 8.1e+07 weights");
    refuse("w_q:10,10 w_k:10,10", "parameters alone");
    refuse("a:2,5,4,6 b:2,4,10", "none of its arrays (a, b) has a name that is read");
    refuse("weights:2,5,4,6 heads:=2.5", "heads: it must be a whole number");
    refuse("weights:2,5,4,6 heads:2=5", "heads: it must be a whole number");
    refuse("weights:2,5,4,6 heads:=4", "weights (2, 5, 4, 6) and heads 4");
    refuse("weights:2,5,4,6 causal:=2", "causal: it must be a whole number from 0 to 1");
    refuse_with("weights:2,5,4,6", (DumpOptions){.weights = "w"}, "--weights w: no such array");
}

static void test_options(void **state) {
    (void)state;
    static const struct {
        DumpOptions options;
        const char *reason;
    } cases[] = {
        {{.site = "middle"}, "--site middle"},
        {{.layout = "TBW"}, "--layout TBW"},
        {{.valid_lens = ""}, "--valid-lens"},
        {{.valid_lens = "3,"}, "--valid-lens 3,"},
        {{.valid_lens = "3,x"}, "--valid-lens 3,x"},
        {{.valid_lens = "-3"}, "--valid-lens -3"},
        {{.causal = true, .unmasked = true}, "not both"},
        {{.valid_lens = "9999999999"}, "--valid-lens 9999999999"},
    };
    Error error = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_false(dump_options_check(&cases[i].options, &error));
        assert_int_equal(error.kind, ERROR_USAGE);
        if (!strstr(error.text, cases[i].reason)) fail_msg("'%s'", error.text);
    }
    assert_true(dump_options_check(&(DumpOptions){.valid_lens = "3,0,12", .site = "self"}, &error));
    DumpFile file;
    assert_false(dump_open(&file, "/none.npz", &(DumpOptions){0}, &error));
    assert_int_equal(error.kind, ERROR_USAGE);
}

/* The table of names and the doctor call each part by the same name. */
static void test_names_of_parts(void **state) {
    (void)state;
    for (int part = 0; part < DUMP_PARTS; part++)
        assert_string_equal(array_name_of((ArrayRole)part), dump_part_name((DumpPart)part));
    assert_string_equal(array_name_of(ROLE_FIRST_QUERY), "row_offset");
    assert_null(array_name_find("query_tokens", ROLE_X_QUERY, ROLE_OUTPUT));
    assert_int_equal(array_name_find("query", ROLE_X_QUERY, ROLE_OUTPUT)->role, ROLE_QUERY);
    assert_int_equal(array_name_find("query", ROLE_LENS, ROLE_FIRST_QUERY)->role,
                     ROLE_QUERY_TOKENS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything),       cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_one_head),         cmocka_unit_test(test_asks),
        cmocka_unit_test(test_names_of_pytorch), cmocka_unit_test(test_sites),
        cmocka_unit_test(test_lengths),          cmocka_unit_test(test_columns),
        cmocka_unit_test(test_disagreements),    cmocka_unit_test(test_bad_tensors),
        cmocka_unit_test(test_options),          cmocka_unit_test(test_names_of_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
