/* Snapshots of a run: when they are taken, what is written comes back, what is damaged or belongs
 * to another model gets one line that names what is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "data/models/snapshots.h"
#include "model/base/rng.h"
#include "tests/data/helper_files.h"
#include "tests/data/helper_tensors.h"

enum { PLANNED = 4, STEPS = 90 }; /* at steps 0, 10, 40, 90 */

static TrainOptions run_options(void) {
    TrainOptions options = train_options_default();
    options.steps = STEPS;
    options.learning_rate = 0.1;
    return options;
}

/* The first `count` snapshots of a run of `model`: the parameters of index i are the model's with
 * the seed i; the model ends with the last ones. */
static Snapshots some_snapshots(Model *model, int count) {
    Snapshots snapshots;
    Error error = {0};
    TrainOptions options = run_options();
    if (!snapshots_make(&snapshots, PLANNED, &model->config, &options, &error))
        fail_msg("%s", error.text);
    for (int i = 0; i < count; i++) {
        int step = snapshots_step(i, PLANNED, STEPS);
        assert_true(snapshots_due(&snapshots, step));
        assert_false(snapshots_due(&snapshots, step + 1));
        params_init(&model->params, &model->config, (uint64_t)i);
        SnapshotInfo info = {step, i ? 1.0 / 3 + i : (double)NAN, i / 7.0};
        snapshots_add(&snapshots, info, &model->params);
        assert_false(snapshots_due(&snapshots, step));
    }
    return snapshots;
}

/* A model "m.safetensors" with its snapshots "m.snapshots.safetensors" in the test's folder. */
static Model saved_pair(void) {
    Model model = tiny_model();
    Error error = {0};
    Snapshots snapshots = some_snapshots(&model, PLANNED);
    if (!model_save(&model, in_folder("m.safetensors"), &error) ||
        !snapshots_save(&snapshots, &model, in_folder("m.snapshots.safetensors"), &error))
        fail_msg("%s", error.text);
    snapshots_free(&snapshots);
    return model;
}

/* --- the right use ---------------------------------------------------------------------------- */

static void test_path(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"a/m.safetensors", "a/m.snapshots.safetensors"},
        {"m", "m.snapshots.safetensors"},
        {".safetensors", ".snapshots.safetensors"},
        {"safetensors", "safetensors.snapshots.safetensors"},
        {"m.safetensors.run", "m.safetensors.run.snapshots.safetensors"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *path = snapshots_path(cases[i][0]);
        assert_string_equal(path, cases[i][1]);
        free(path);
    }
}

static void test_steps_rise_from_0_to_the_end(void **state) {
    (void)state;
    static const int expected[] = {0, 10, 40, 90};
    for (int i = 0; i < PLANNED; i++)
        assert_int_equal(snapshots_step(i, PLANNED, STEPS), expected[i]);
    for (int planned = 2; planned <= 40; planned++)
        for (int steps = planned - 1; steps < 400; steps++) {
            assert_int_equal(snapshots_step(0, planned, steps), 0);
            assert_int_equal(snapshots_step(planned - 1, planned, steps), steps);
            for (int i = 1; i < planned; i++)
                assert_true(snapshots_step(i, planned, steps) >
                            snapshots_step(i - 1, planned, steps));
        }
    assert_int_equal(snapshots_step(998, 999, 100000000), 100000000);
}

static void test_numbers_that_no_run_can_take(void **state) {
    (void)state;
    Model model = tiny_model();
    TrainOptions options = run_options();
    Snapshots snapshots;
    static const int numbers[] = {-1, 0, 1, STEPS + 2, 1000};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        Error error = {0};
        assert_false(snapshots_make(&snapshots, numbers[i], &model.config, &options, &error));
        assert_int_equal(error.kind, ERROR_USAGE);
        assert_one_line(&error);
        assert_null(snapshots.params);
    }
    assert_true(snapshots_make(&snapshots, STEPS + 1, &model.config, &options, NULL));
    snapshots_free(&snapshots);
    model_free(&model);
}

static void test_snapshots_come_back(void **state) {
    (void)state;
    Model model = saved_pair(), read;
    Error error = {0};
    Snapshots snapshots;
    if (!model_open(&read, in_folder("m.safetensors"), &error) ||
        !snapshots_open(&snapshots, in_folder("m.snapshots.safetensors"), &read, &error))
        fail_msg("%s", error.text);
    assert_int_equal(snapshots.count, PLANNED);
    assert_int_equal(snapshots.planned, PLANNED);
    TrainOptions options = run_options();
    assert_memory_equal(&snapshots.options, &options, sizeof options);
    assert_int_equal(snapshots.params_count, model.params.count);
    for (int i = 0; i < PLANNED; i++) {
        assert_int_equal(snapshots.infos[i].step, snapshots_step(i, PLANNED, STEPS));
        if (i == 0) assert_true(isnan(snapshots.infos[i].loss));
        if (i > 0) assert_true(snapshots.infos[i].loss == 1.0 / 3 + i);
        assert_true(snapshots.infos[i].exact == i / 7.0);
        params_init(&model.params, &model.config, (uint64_t)i);
        snapshots_params(&snapshots, i, &read.params);
        assert_memory_equal(model.params.block, read.params.block,
                            (size_t)model.params.count * sizeof(real));
    }
    /* The same again gives the same file. */
    if (!snapshots_save(&snapshots, &read, in_folder("again"), &error)) fail_msg("%s", error.text);
    size_t size, again_size;
    unsigned char *bytes = read_bytes(in_folder("m.snapshots.safetensors"), &size);
    unsigned char *again = read_bytes(in_folder("again"), &again_size);
    assert_int_equal(size, again_size);
    assert_memory_equal(bytes, again, size);
    free(bytes);
    free(again);
    snapshots_free(&snapshots);
    model_free(&model);
    model_free(&read);
}

static void test_an_interrupted_run_goes_on(void **state) {
    (void)state;
    Model model = tiny_model();
    Error error = {0};
    Snapshots snapshots = some_snapshots(&model, 3), read;
    const char *path = in_folder("m.safetensors.run.snapshots");
    if (!snapshots_save(&snapshots, &model, path, &error)) fail_msg("%s", error.text);
    snapshots_free(&snapshots);

    static const struct {
        int step, kept;
        bool good;
    } cases[] = {{0, 1, true},  {9, 1, true},  {10, 2, true}, {39, 2, true},
                 {40, 3, true}, {89, 3, true}, {90, 4, false}};
    TrainOptions options = run_options();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (!snapshots_open(&read, path, &model, &error)) fail_msg("%s", error.text);
        assert_int_equal(snapshots_resume(&read, &options, cases[i].step, &error), cases[i].good);
        if (cases[i].good) assert_int_equal(read.count, cases[i].kept);
        if (cases[i].good) assert_true(snapshots_due(&read, snapshots_step(read.count, 4, STEPS)));
        snapshots_free(&read);
    }
    if (!snapshots_open(&read, path, &model, &error)) fail_msg("%s", error.text);
    options.seed++;
    assert_false(snapshots_resume(&read, &options, 40, &error));
    assert_non_null(strstr(error.text, "of this run"));
    snapshots_free(&read);
    model_free(&model);
}

/* --- what does not belong together ------------------------------------------------------------ */

static void assert_refused(const Model *model, const char *path, const char *says) {
    Snapshots snapshots;
    Error error = {0};
    if (snapshots_open(&snapshots, path, model, &error)) fail_msg("read in spite of %s", says);
    assert_one_line(&error);
    assert_int_equal(error.kind, ERROR_FAILED);
    if (strncmp(error.text, path, strlen(path)) != 0 || !strstr(error.text, says))
        fail_msg("'%s' does not say '%s'", error.text, says);
    assert_null(snapshots.params);
    assert_null(snapshots.infos);
}

static void test_another_model(void **state) {
    (void)state;
    Model model = saved_pair();
    const char *path = in_folder("m.snapshots.safetensors");
    Snapshots snapshots;
    assert_true(snapshots_open(&snapshots, path, &model, NULL));
    snapshots_free(&snapshots);
    model.hash[0] = model.hash[0] == '0' ? '1' : '0';
    assert_refused(&model, path, "another run");
    model.hash[0] = '\0';
    assert_refused(&model, path, "another run");
    model_free(&model);

    model = saved_pair();
    model.config.dropout = 0.2;
    assert_refused(&model, path, "config is not the model's");
    model.config.dropout = 0.1;
    model.source_vocab.tokens[3][0] = 'b';
    assert_refused(&model, path, "source_vocab is not the model's");
    model.source_vocab.tokens[3][0] = 'a';
    model.target_vocab.size--;
    assert_refused(&model, path, "target_vocab is not the model's");
    model.target_vocab.size++;
    assert_refused(&model, in_folder("m.safetensors"), "no snapshots of a run");
    assert_refused(&model, in_folder("none"), "No such file");

    Model read;
    Error error = {0};
    assert_false(model_open(&read, path, &error));
    assert_non_null(strstr(error.text, "snapshots of a run, not a model"));
    model_free(&model);
}

/* --- damaged files ---------------------------------------------------------------------------- */

/* Writes the pair's snapshots anew with one text or one tensor changed. A NULL text drops the key.
 */
static void save_changed(const char *key, const char *text, int changed, const Tensor *tensor) {
    Foreign foreign = foreign_from(in_folder("m.snapshots.safetensors"));
    if (key && text) set_text(&foreign, key, text);
    if (key && !text) drop_text(&foreign, key);
    if (changed >= 0) foreign.tensors[changed] = *tensor;
    save_foreign(&foreign, in_folder("changed"));
    safetensors_close(&foreign.file);
}

#define ENTRIES(first, second)                                                                     \
    "[" first "," second                                                                           \
    ",{\"step\":40,\"loss\":1,\"exact\":0},{\"step\":90,\"loss\":1,\"exact\":1}]"
#define ENTRY_0 "{\"step\":0,\"loss\":null,\"exact\":0}"
#define ENTRY_1 "{\"step\":10,\"loss\":1,\"exact\":0}"

static void test_metadata(void **state) {
    (void)state;
    static const char *const cases[][3] = {
        {"format", NULL, "no snapshots"},
        {"format", "headscope-snapshots-2", "no snapshots"},
        {"model", NULL, "model is missing"},
        {"config", NULL, "config is missing"},
        {"config", "{", "config"},
        {"source_vocab", NULL, "source_vocab"},
        {"target_vocab", "[]", "target_vocab"},
        {"training", NULL, "training is missing"},
        {"training", "{}", "training"},
        {"planned", NULL, "planned"},
        {"planned", "1", "planned"},
        {"planned", "1000", "planned"},
        {"planned", " 4", "planned"},
        {"planned", "3", "4 entries"},
        {"snapshots", NULL, "snapshots"},
        {"snapshots", "{}", "snapshots"},
        {"snapshots", "[]", "0 entries"},
        {"snapshots", "[{\"step\":0,\"loss\":null,\"exact\":0}]", "4 tensors"},
        {"snapshots", ENTRIES(ENTRY_0, "7"), "entry 1: its step"},
        {"snapshots", ENTRIES(ENTRY_0, "{}"), "entry 1: its step"},
        {"snapshots", ENTRIES(ENTRY_0, ENTRY_0), "entry 1: its step"},
        {"snapshots", ENTRIES("{\"step\":-1,\"loss\":1,\"exact\":0}", ENTRY_1),
         "entry 0: its step"},
        {"snapshots", ENTRIES(ENTRY_0, "{\"step\":1.5,\"loss\":1,\"exact\":0}"),
         "entry 1: its step"},
        {"snapshots", ENTRIES(ENTRY_0, "{\"step\":91,\"loss\":1,\"exact\":0}"),
         "entry 1: its step"},
        {"snapshots", ENTRIES(ENTRY_0, "{\"step\":10,\"exact\":0}"), "entry 1: its loss"},
        {"snapshots", ENTRIES(ENTRY_0, "{\"step\":10,\"loss\":1e999,\"exact\":0}"), "its loss"},
        {"snapshots", ENTRIES(ENTRY_0, "{\"step\":10,\"loss\":1,\"exact\":1.1}"), "its exact"},
    };
    Model model = saved_pair();
    Snapshots snapshots;
    save_changed("snapshots", ENTRIES(ENTRY_0, ENTRY_1), -1, NULL);
    assert_true(snapshots_open(&snapshots, in_folder("changed"), &model, NULL));
    snapshots_free(&snapshots);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        save_changed(cases[i][0], cases[i][1], -1, NULL);
        assert_refused(&model, in_folder("changed"), cases[i][2]);
    }
    model_free(&model);
}

static void test_tensors(void **state) {
    (void)state;
    Model model = saved_pair();
    size_t count = (size_t)model.params.count;
    real *numbers = malloc(count * sizeof *numbers);
    memcpy(numbers, model.params.block, count * sizeof *numbers);
    Tensor right = {.name = "snapshot.002",
                    .type = tensor_type_of_real(),
                    .rank = 1,
                    .shape = {(int64_t)count},
                    .bytes = numbers};
    Snapshots snapshots;
    save_changed(NULL, NULL, 2, &right);
    assert_true(snapshots_open(&snapshots, in_folder("changed"), &model, NULL));
    snapshots_free(&snapshots);

    Tensor wrong = right;
    wrong.name = "snapshot.004";
    save_changed(NULL, NULL, 2, &wrong);
    assert_refused(&model, in_folder("changed"), "snapshot.002: missing");
    wrong = right;
    wrong.shape[0]--;
    save_changed(NULL, NULL, 2, &wrong);
    assert_refused(&model, in_folder("changed"), "snapshot.002: its shape");
    wrong = right;
    wrong.rank = 2;
    wrong.shape[1] = 1;
    save_changed(NULL, NULL, 2, &wrong);
    assert_refused(&model, in_folder("changed"), "snapshot.002: its shape");
    wrong = right;
    wrong.type = TENSOR_I32;
    save_changed(NULL, NULL, 2, &wrong);
    assert_refused(&model, in_folder("changed"), "whole numbers");

    numbers[3] = NAN;
    save_changed(NULL, NULL, 2, &right);
    assert_refused(&model, in_folder("changed"), "src_embedding.weight: value 3");
    numbers[3] = 0;
    /* The first bias of the attention, which the config turns off. */
    size_t bias = (size_t)(model.params.encoder[0].self_attention.in.bias - model.params.block);
    numbers[bias] = 1;
    save_changed(NULL, NULL, 2, &right);
    assert_refused(&model, in_folder("changed"), "in_proj_bias: not zero");
    free(numbers);
    model_free(&model);
}

/* Each copy is cut, or has one to eight bytes changed. */
static void test_hostile_bytes(void **state) {
    (void)state;
    Model model = saved_pair();
    size_t size;
    unsigned char *bytes = read_bytes(in_folder("m.snapshots.safetensors"), &size);
    uint32_t header = 8 + ((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8);
    int refused = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        Rng rng = rng_make(seed, 1);
        size_t kept = seed % 3 ? size : rng_below(&rng, (uint32_t)size);
        unsigned char *copy = malloc(kept ? kept : 1);
        memcpy(copy, bytes, kept);
        for (uint32_t left = seed % 3 ? 1 + rng_below(&rng, 8) : 0; left > 0; left--)
            copy[rng_below(&rng, seed % 3 == 1 ? header : (uint32_t)size)] ^=
                (unsigned char)(1 + rng_below(&rng, 255));
        Error error = {0};
        Snapshots read;
        if (snapshots_from_bytes(&read, "changed", copy, kept, &model, &error)) {
            assert_true(read.count >= 1 && read.count <= read.planned);
            for (long n = 0; n < read.count * read.params_count; n++)
                assert_true(isfinite(read.params[n]));
            snapshots_free(&read);
        } else {
            refused++;
            assert_one_line(&error);
            assert_null(read.params);
        }
        free(copy);
    }
    assert_true(refused > 300);
    free(bytes);
    model_free(&model);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_path),
        cmocka_unit_test(test_steps_rise_from_0_to_the_end),
        cmocka_unit_test(test_numbers_that_no_run_can_take),
        IN_FOLDER(test_snapshots_come_back),
        IN_FOLDER(test_an_interrupted_run_goes_on),
        IN_FOLDER(test_another_model),
        IN_FOLDER(test_metadata),
        IN_FOLDER(test_tensors),
        IN_FOLDER(test_hostile_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
