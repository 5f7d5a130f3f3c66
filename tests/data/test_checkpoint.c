/* Model files and interrupted runs: what is written comes back; what is damaged or foreign gets one
 * line that names what is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <sha256.h>

#include "data/models/config_json.h"
#include "model/base/rng.h"
#include "tests/data/helper_files.h"
#include "tests/data/helper_tensors.h"

static void assert_same_vocab(const Vocab *a, const Vocab *b) {
    assert_int_equal(a->size, b->size);
    for (int id = 0; id < a->size; id++)
        assert_string_equal(a->tokens[id], b->tokens[id]);
}

static void assert_same_model(const Model *a, const Model *b) {
    char *left = config_to_json(&a->config), *right = config_to_json(&b->config);
    assert_string_equal(left, right);
    free(left);
    free(right);
    assert_int_equal(a->config.source_vocab, b->config.source_vocab);
    assert_int_equal(a->config.target_vocab, b->config.target_vocab);
    assert_same_vocab(&a->source_vocab, &b->source_vocab);
    assert_same_vocab(&a->target_vocab, &b->target_vocab);
    assert_string_equal(a->task, b->task);
    assert_string_equal(a->command, b->command);
    assert_int_equal(a->params.count, b->params.count);
    assert_memory_equal(a->params.block, b->params.block,
                        (size_t)a->params.count * sizeof *a->params.block);
}

/* Saves a tiny model as "m.safetensors" of the test's folder. */
static Model saved_model(void) {
    Model model = tiny_model();
    Error error = {0};
    if (!model_save(&model, in_folder("m.safetensors"), &error)) fail_msg("%s", error.text);
    return model;
}

static void test_model_comes_back(void **state) {
    (void)state;
    Model model = saved_model(), read, from_memory;
    Error error = {0};
    if (!model_open(&read, in_folder("m.safetensors"), &error)) fail_msg("%s", error.text);
    assert_same_model(&model, &read);
    assert_int_equal(folder_entries(test_folder, false), 1);

    size_t size;
    unsigned char *bytes = read_bytes(in_folder("m.safetensors"), &size);
    char hash[65];
    SHA256Data(bytes, size, hash);
    assert_string_equal(model.hash, hash);
    assert_string_equal(read.hash, hash);
    if (!model_from_bytes(&from_memory, "memory", bytes, size, &error)) fail_msg("%s", error.text);
    assert_same_model(&model, &from_memory);
    assert_string_equal(from_memory.hash, "");

    /* The same model gives the same file. */
    if (!model_save(&read, in_folder("n.safetensors"), &error)) fail_msg("%s", error.text);
    assert_string_equal(read.hash, hash);
    free(bytes);
    model_free(&model);
    model_free(&read);
    model_free(&from_memory);
    model_free(&from_memory);
}

static void test_run_state_comes_back(void **state) {
    (void)state;
    Model model = tiny_model(), read, not_a_model;
    RunState run = {.options = train_options_default(), .step = 17}, read_run;
    run.options.seed = UINT64_MAX;
    run.options.steps = 40;
    run.options.learning_rate = 0.1;
    for (int i = 0; i < 2; i++) {
        run.moments[i] = calloc((size_t)model.params.count, sizeof(real));
        for (long n = 0; n < model.params.count; n++)
            run.moments[i][n] = (real)(n + i) / 3;
    }
    Error error = {0};
    const char *path = in_folder("m.run");
    if (!run_state_save(&model, &run, path, &error)) fail_msg("%s", error.text);
    if (!run_state_open(&read, &read_run, path, &error)) fail_msg("%s", error.text);
    assert_same_model(&model, &read);
    assert_int_equal(read_run.step, 17);
    assert_memory_equal(&read_run.options, &run.options, sizeof run.options);
    for (int i = 0; i < 2; i++)
        assert_memory_equal(read_run.moments[i], run.moments[i],
                            (size_t)model.params.count * sizeof(real));

    assert_false(model_open(&not_a_model, path, &error));
    assert_non_null(strstr(error.text, "interrupted run"));
    run_state_free(&read_run);
    run_state_free(&run);
    model_free(&model);
    model_free(&read);
    model = saved_model();
    assert_false(run_state_open(&read, &read_run, in_folder("m.safetensors"), &error));
    assert_non_null(strstr(error.text, "not an interrupted run"));
    model_free(&model);
}

/* --- damaged files ---------------------------------------------------------------------------- */

static void test_cut_file(void **state) {
    (void)state;
    Model model = saved_model(), read;
    size_t size;
    unsigned char *bytes = read_bytes(in_folder("m.safetensors"), &size);
    for (size_t percent = 0; percent < 100; percent++) {
        /* A block of its own, so that the address sanitizer sees a step past its end. */
        size_t kept = size * percent / 100;
        unsigned char *part = malloc(kept + 1);
        memcpy(part, bytes, kept);
        part = realloc(part, kept ? kept : 1);
        Error error = {0};
        if (model_from_bytes(&read, "cut", part, kept, &error))
            fail_msg("%zu %% of a model were read", percent);
        assert_one_line(&error);
        free(part);
    }
    Error error = {0};
    write_bytes(in_folder("cut"), bytes, size - 1);
    assert_false(model_open(&read, in_folder("cut"), &error));
    assert_non_null(strstr(error.text, "cut short"));
    free(bytes);
    model_free(&model);
}

/* Each copy has one to eight bytes changed: half of the copies anywhere, half in the header. */
static void test_changed_bytes(void **state) {
    (void)state;
    Model model = saved_model();
    size_t size;
    unsigned char *bytes = read_bytes(in_folder("m.safetensors"), &size);
    unsigned char *copy = malloc(size);
    uint32_t header = 8 + ((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8);
    int refused = 0;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        Rng rng = rng_make(seed, 1);
        memcpy(copy, bytes, size);
        for (uint32_t left = 1 + rng_below(&rng, 8); left > 0; left--)
            copy[rng_below(&rng, seed % 2 ? header : (uint32_t)size)] ^=
                (unsigned char)(1 + rng_below(&rng, 255));
        Error error = {0};
        Model read;
        if (model_from_bytes(&read, "changed", copy, size, &error)) {
            assert_true(config_check(&read.config, &error));
            for (long n = 0; n < read.params.count; n++)
                assert_true(isfinite(read.params.block[n]));
            model_free(&read);
        } else {
            refused++;
            assert_one_line(&error);
            assert_null(read.params.block);
        }
    }
    assert_true(refused > 500);
    free(copy);
    free(bytes);
    model_free(&model);
}

/* --- foreign files ---------------------------------------------------------------------------- */

static Foreign foreign_model(void) {
    Model model = saved_model();
    model_free(&model);
    return foreign_from(in_folder("m.safetensors"));
}

static Tensor *foreign_tensor(Foreign *foreign, const char *name) {
    for (int i = 0; i < foreign->tensor_count; i++)
        if (strcmp(foreign->tensors[i].name, name) == 0) return &foreign->tensors[i];
    fail_msg("no tensor %s", name);
    return NULL;
}

/* Saves it, expects a refusal that names the file and holds `first` and `second`, and closes it. */
static void assert_refused(Foreign *foreign, const char *first, const char *second) {
    const char *path = in_folder("foreign.safetensors");
    Model model;
    Error error = {0};
    save_foreign(foreign, path);
    safetensors_close(&foreign->file);
    if (model_open(&model, path, &error)) fail_msg("a file with a wrong %s was read", first);
    assert_one_line(&error);
    assert_int_equal(error.kind, ERROR_FAILED);
    if (strncmp(error.text, path, strlen(path)) != 0 || !strstr(error.text, first) ||
        !strstr(error.text, second))
        fail_msg("'%s' names neither %s nor %s", error.text, first, second);
    assert_null(model.params.block);
    assert_null(model.source_vocab.tokens);
}

static void test_newer_format(void **state) {
    (void)state;
    Foreign foreign = foreign_model();
    set_text(&foreign, "format", "headscope-2");
    assert_refused(&foreign, "newer headscope", "format 2");
}

static void test_other_format(void **state) {
    (void)state;
    static const char *const formats[] = {
        "pt", "headscope", "headscope-", "headscope-0", "headscope--1", "headscope-1x", ""};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        Foreign foreign = foreign_model();
        set_text(&foreign, "format", formats[i]);
        assert_refused(&foreign, "no headscope model", "docs/files.md");
    }
}

static void test_metadata_missing(void **state) {
    (void)state;
    Foreign foreign = foreign_model();
    foreign.text_count = 0;
    assert_refused(&foreign, "no headscope model", "metadata");
    static const char *const keys[] = {"config", "source_vocab", "target_vocab"};
    for (int i = 0; i < 3; i++) {
        foreign = foreign_model();
        drop_text(&foreign, keys[i]);
        assert_refused(&foreign, keys[i], "metadata");
    }
}

static void test_metadata_wrong(void **state) {
    (void)state;
    static const char *const cases[][3] = {
        {"config", "[]", "config"},
        {"config", "{\"width\":8}", "missing"},
        {"config", "{\"width\":\"8\"}", "width"},
        {"config", "{} x", "no JSON object"},
        {"source_vocab", "[\"<pad>\",\"<s>\",\"</s>\",\"a\",\"b\"]]", "list of texts"},
        {"config", "{\"colour\":8}", "colour"},
        {"config", "{\"new\\nline\":8}", "new"},
        {"source_vocab", "[\"<pad>\",\"<s>\",\"</s>\",\"a\",\"a\"]", "more than once"},
        {"source_vocab", "[\"<pad>\",\"<s>\",\"</s>\",\"a\",7]", "list of texts"},
        {"source_vocab", "{}", "list of texts"},
        {"target_vocab", "[]", "too small"},
        {"target_vocab", "[\"<pad>\",\"<s>\",\"</s>\"]", "vocabulary"},
        {"target_vocab", "[\"<pad>\",\"<s>\",\"</s>\",\"a\"]", "shape"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Foreign foreign = foreign_model();
        set_text(&foreign, cases[i][0], cases[i][1]);
        assert_refused(&foreign, cases[i][2], "");
    }
}

static void test_extra_tensor(void **state) {
    (void)state;
    static const float ones[2] = {1, 1};
    Foreign foreign = foreign_model();
    foreign.tensors[foreign.tensor_count++] = (Tensor){
        .name = "encoder.extra", .type = TENSOR_F32, .rank = 1, .shape = {2}, .bytes = ones};
    assert_refused(&foreign, "encoder.extra", "no place");
    /* A name cannot break the message's line. */
    foreign = foreign_model();
    foreign.tensors[foreign.tensor_count++] = (Tensor){
        .name = "a\n\033[31mb", .type = TENSOR_F32, .rank = 1, .shape = {2}, .bytes = ones};
    assert_refused(&foreign, "no place", "");
}

static void test_missing_tensor(void **state) {
    (void)state;
    static const char name[] = "encoder.layers.0.linear1.weight";
    Foreign foreign = foreign_model();
    *foreign_tensor(&foreign, name) = foreign.tensors[--foreign.tensor_count];
    assert_refused(&foreign, name, "missing");
}

static void test_wrong_shape(void **state) {
    (void)state;
    static const char name[] = "encoder.layers.0.linear1.weight"; /* [12,8] */
    static const char vector[] = "encoder.layers.0.linear1.bias"; /* [12] */
    Foreign foreign = foreign_model();
    Tensor *tensor = foreign_tensor(&foreign, name);
    tensor->shape[0] = 8;
    tensor->shape[1] = 12;
    assert_refused(&foreign, name, "[12,8]");
    foreign = foreign_model();
    foreign_tensor(&foreign, name)->rank = 1;
    foreign_tensor(&foreign, name)->shape[0] = 96;
    assert_refused(&foreign, name, "[12,8]");
    foreign = foreign_model();
    foreign_tensor(&foreign, vector)->rank = 2;
    foreign_tensor(&foreign, vector)->shape[1] = 1;
    assert_refused(&foreign, vector, "[12]");
}

static void test_wrong_numbers(void **state) {
    (void)state;
    static const char name[] = "encoder.layers.0.linear1.bias";           /* [12] */
    static const char held[] = "encoder.layers.0.self_attn.in_proj_bias"; /* [24] */
    static const double wrong[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    double numbers[24] = {0};
    for (int i = 0; i < 3; i++) {
        Foreign foreign = foreign_model();
        numbers[3] = wrong[i];
        foreign_tensor(&foreign, name)->type = TENSOR_F64;
        foreign_tensor(&foreign, name)->bytes = numbers;
        assert_refused(&foreign, name, "value 3 is not a finite number");
    }
    Foreign foreign = foreign_model();
    numbers[3] = 0.5;
    foreign_tensor(&foreign, held)->type = TENSOR_F64;
    foreign_tensor(&foreign, held)->bytes = numbers;
    assert_refused(&foreign, held, "not zero");
    static const int32_t whole[12] = {0};
    foreign = foreign_model();
    foreign_tensor(&foreign, name)->type = TENSOR_I32;
    foreign_tensor(&foreign, name)->bytes = whole;
    assert_refused(&foreign, name, "whole numbers");
}

/* What another program may write: no biases that are off, doubles, other order, no task. */
static void test_foreign_model_is_read(void **state) {
    (void)state;
    static const char name[] = "encoder.layers.0.linear1.bias";
    static const char held[] = "encoder.layers.0.self_attn.in_proj_bias";
    double numbers[12];
    Foreign foreign = foreign_model();
    for (int i = 0; i < 12; i++)
        numbers[i] = i / 4.0;
    foreign_tensor(&foreign, name)->type = TENSOR_F64;
    foreign_tensor(&foreign, name)->bytes = numbers;
    *foreign_tensor(&foreign, held) = foreign.tensors[--foreign.tensor_count];
    drop_text(&foreign, "task");
    drop_text(&foreign, "command");
    save_foreign(&foreign, in_folder("foreign.safetensors"));
    safetensors_close(&foreign.file);
    Model model;
    Error error = {0};
    if (!model_open(&model, in_folder("foreign.safetensors"), &error)) fail_msg("%s", error.text);
    for (int i = 0; i < 12; i++)
        assert_true(model.params.encoder[0].linear1.bias[i] == (real)numbers[i]);
    for (int i = 0; i < 24; i++)
        assert_true(model.params.encoder[0].self_attention.in.bias[i] == 0);
    assert_string_equal(model.task, "");
    assert_string_equal(model.command, "");
    model_free(&model);
}

static void test_damaged_run(void **state) {
    (void)state;
    static const char *const cases[][3] = {
        {"step", "41", "step"},
        {"step", "-1", "step"},
        {"step", "", "step"},
        {"step", "x", "step"},
        {"step", "1x", "step"},
        {"training", "{}", "missing"},
        {"training", "x", "training"},
        {"training", "{\"seed\":\"-1\"}", "seed"},
        {"training", "{\"seed\":\"18446744073709551616\"}", "seed"},
    };
    Model model = tiny_model(), read;
    RunState run = {.options = train_options_default(), .step = 17}, read_run;
    run.options.steps = 40;
    run.options.learning_rate = 0.1;
    for (int i = 0; i < 2; i++)
        run.moments[i] = calloc((size_t)model.params.count, sizeof(real));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Error error = {0};
        if (!run_state_save(&model, &run, in_folder("m.run"), &error)) fail_msg("%s", error.text);
        Foreign foreign = foreign_from(in_folder("m.run"));
        set_text(&foreign, cases[i][0], cases[i][1]);
        save_foreign(&foreign, in_folder("n.run"));
        safetensors_close(&foreign.file);
        if (run_state_open(&read, &read_run, in_folder("n.run"), &error))
            fail_msg("%s '%s' was read", cases[i][0], cases[i][1]);
        assert_one_line(&error);
        if (!strstr(error.text, cases[i][2])) fail_msg("%s", error.text);
    }
    Error error = {0};
    run.moments[1][5] = -1;
    if (!run_state_save(&model, &run, in_folder("m.run"), &error)) fail_msg("%s", error.text);
    assert_false(run_state_open(&read, &read_run, in_folder("m.run"), &error));
    assert_non_null(strstr(error.text, "adam.second_moment: value 5"));
    assert_null(read.params.block);
    assert_null(read_run.moments[0]);
    run_state_free(&run);
    model_free(&model);
}

static void test_not_a_file(void **state) {
    (void)state;
    Model model;
    Error error = {0};
    assert_false(model_open(&model, in_folder("none"), &error));
    assert_non_null(strstr(error.text, "none"));
    assert_non_null(strstr(error.text, "No such file"));
    assert_one_line(&error);
    assert_false(model_open(&model, test_folder, &error));
    assert_one_line(&error);
    write_bytes(in_folder("empty"), "", 0);
    assert_false(model_open(&model, in_folder("empty"), &error));
    assert_non_null(strstr(error.text, "too short"));
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_model_comes_back),
        IN_FOLDER(test_run_state_comes_back),
        IN_FOLDER(test_cut_file),
        IN_FOLDER(test_changed_bytes),
        IN_FOLDER(test_newer_format),
        IN_FOLDER(test_other_format),
        IN_FOLDER(test_metadata_missing),
        IN_FOLDER(test_metadata_wrong),
        IN_FOLDER(test_extra_tensor),
        IN_FOLDER(test_missing_tensor),
        IN_FOLDER(test_wrong_shape),
        IN_FOLDER(test_wrong_numbers),
        IN_FOLDER(test_foreign_model_is_read),
        IN_FOLDER(test_damaged_run),
        IN_FOLDER(test_not_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
