/* What a picture says about itself: written, read back, and its model found by its hash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/cli/places.h"
#include "app/window/saved_state.h"
#include "data/files/output.h"
#include "tests/data/helper_files.h"
#include "viz/canvas/picture_png.h"

static void must(bool good, const Error *error) {
    if (!good) fail_msg("%s", error->text);
}

/* A model of its own for each seed, saved. */
static void save_model(const char *path, uint64_t seed, char hash[65]) {
    Error error = {0};
    Model model = {.config = config_default(), .task = "copy"};
    must(vocab_from_characters(&model.source_vocab, "ab", &error) &&
             vocab_from_characters(&model.target_vocab, "ab", &error),
         &error);
    model.config.width = 8;
    model.config.heads = 2;
    model.config.ffn_width = 8;
    model.config.max_source = model.config.max_target = 6;
    model.config.source_vocab = model.source_vocab.size;
    model.config.target_vocab = model.target_vocab.size;
    must(params_make(&model.params, &model.config, &error), &error);
    params_init(&model.params, &model.config, seed);
    must(model_save(&model, path, &error), &error);
    memcpy(hash, model.hash, sizeof model.hash);
    model_free(&model);
}

/* A picture of a few pixels with these texts. */
static const char *save_picture(const PictureText *texts, int count) {
    Error error = {0};
    unsigned char *bytes;
    size_t size;
    const char *path = in_folder("a.png");
    uint8_t pixels[2 * 9] = {0};
    must(picture_png_encode(&(Surface){pixels, 9, 3, 2}, texts, count, &bytes, &size, &error),
         &error);
    must(output_write(path, bytes, size, &error), &error);
    free(bytes);
    return path;
}

static const char *save_saved(const SavedState *saved) {
    char size[SAVED_STATE_SIZE_TEXT];
    PictureText texts[SAVED_STATE_TEXTS];
    return save_picture(texts, saved_state_texts(saved, size, texts));
}

static void test_a_picture_tells_its_recipe(void **state) {
    (void)state;
    Error error = {0};
    SavedState written = {.actions = "input \"3 → Mai;\"; step 2",
                          .hash = "abc",
                          .file = "models/x.safetensors",
                          .command = "headscope shot",
                          .width = 1600,
                          .height = 1000,
                          .scale = 1.1F};
    SavedState read;
    must(saved_state_read_picture(&read, save_saved(&written), &error), &error);
    assert_string_equal(read.actions, written.actions);
    assert_string_equal(read.hash, written.hash);
    assert_string_equal(read.file, written.file);
    assert_string_equal(read.command, written.command);
    assert_int_equal(read.width, 1600);
    assert_int_equal(read.height, 1000);
    assert_true(read.scale == written.scale);
    assert_true(saved_state_is_picture(in_folder("a.png")));
    saved_state_free(&read);
}

static void assert_usage(const Error *error, const char *part) {
    assert_int_equal(error->kind, ERROR_USAGE);
    if (!strstr(error->text, part)) fail_msg("\"%s\" is not in: %s", part, error->text);
}

static void test_a_picture_without_a_recipe(void **state) {
    (void)state;
    Error error = {0};
    SavedState saved;
    const PictureText texts[] = {{"headscope:model", "abc"}};
    assert_false(saved_state_read_picture(&saved, save_picture(texts, 1), &error));
    assert_usage(&error, "a.png: no state to open is in this picture");
    assert_false(saved_state_read_picture(&saved, in_folder("none.png"), &error));
    assert_false(saved_state_is_picture(in_folder("none.png")));
}

static void test_sizes_that_are_none(void **state) {
    (void)state;
    static const char *const sizes[] = {"",           "0x5 1",  "5x0 1",        "5x5",
                                        "5x5 1 more", "5x5 -1", "5x5 nan",      "5x5 1e9",
                                        "-5x5 1",     "5by5 1", "99999999x5 1", "\xC3\xA4"};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        Error error = {0};
        SavedState saved;
        const PictureText texts[] = {{"headscope:actions", "step 1"}, {"headscope:size", sizes[i]}};
        must(saved_state_read_picture(&saved, save_picture(texts, 2), &error), &error);
        if (saved.width) fail_msg("\"%s\" was taken for a size", sizes[i]);
        saved_state_free(&saved);
    }
}

/* Opens the model of a recipe and says where it was. */
static char *find_model(const SavedState *saved, bool force, Error *error) {
    Model model;
    char *path = NULL;
    bool found = saved_state_open_model(saved, in_folder("a.png"), force, &model, &path, error);
    if (found) model_free(&model);
    return found ? path : NULL;
}

static void test_its_model_is_found_by_hash(void **state) {
    (void)state;
    Error error = {0};
    char right[65], wrong[65];
    mkdir(in_folder("there"), 0700);
    save_model(in_folder("there/b.safetensors"), 1, right);
    char file[128];
    snprintf(file, sizeof file, "%s", in_folder("there/b.safetensors"));
    SavedState saved = {.hash = right, .file = file};
    /* The folders in a stranger's picture are not followed. */
    assert_null(find_model(&saved, false, &error));
    assert_usage(&error, "not to be found");
    /* Beside the picture. */
    rename(in_folder("there/b.safetensors"), in_folder("b.safetensors"));
    char *path = find_model(&saved, false, &error);
    assert_string_equal(path, in_folder("b.safetensors"));
    free(path);
    /* Another one of that name. */
    save_model(in_folder("b.safetensors"), 2, wrong);
    assert_null(find_model(&saved, false, &error));
    char both[80];
    snprintf(both, sizeof both, "/b.safetensors is %.12s", wrong);
    assert_usage(&error, both);
    snprintf(both, sizeof both, "the model %.12s", right);
    assert_usage(&error, both);
    path = find_model(&saved, true, &error);
    assert_string_equal(path, in_folder("b.safetensors"));
    free(path);
    /* None. */
    unlink(in_folder("b.safetensors"));
    assert_null(find_model(&saved, true, &error));
    assert_usage(&error, "not to be found");
}

static void test_a_model_never_saved(void **state) {
    (void)state;
    Error error = {0};
    SavedState saved = {.hash = "", .file = ""};
    assert_null(find_model(&saved, false, &error));
    assert_usage(&error, "never saved");
    assert_null(find_model(&saved, true, &error));
}

static void test_a_broken_model_is_told(void **state) {
    (void)state;
    Error error = {0};
    must(output_write(in_folder("b.safetensors"), "no model", 8, &error), &error);
    SavedState saved = {.hash = "abc", .file = "gone/b.safetensors"};
    assert_null(find_model(&saved, false, &error));
    assert_non_null(strstr(error.text, "b.safetensors"));
}

static void test_a_state_is_kept(void **state) {
    (void)state;
    Error error = {0};
    SavedState written = {.hash = "ab", .file = "/a b/c", .actions = "input \"a\nb\"; step 1"};
    SavedState read;
    must(saved_state_write_file(&written, in_folder("last"), &error), &error);
    must(saved_state_read_file(&read, in_folder("last"), &error), &error);
    assert_string_equal(read.actions, written.actions);
    assert_string_equal(read.hash, "ab");
    assert_string_equal(read.file, "/a b/c");
    saved_state_free(&read);
    written.file = "a\nb";
    assert_false(saved_state_write_file(&written, in_folder("last"), &error));
}

static void test_a_state_cut_short_is_refused(void **state) {
    (void)state;
    Error error = {0};
    SavedState written = {.hash = "ab", .file = "c", .actions = "step 1"}, read;
    must(saved_state_write_file(&written, in_folder("last"), &error), &error);
    size_t size;
    char *whole = places_read(in_folder("last"), 4096, &size, &error);
    for (size_t cut = 0; cut < size; cut++) {
        must(output_write(in_folder("last"), whole, cut, &error), &error);
        if (saved_state_read_file(&read, in_folder("last"), &error))
            fail_msg("%zu bytes are taken", cut);
    }
    for (size_t at = 0; at < size; at++) {
        char kept = whole[at];
        whole[at] = '\0';
        must(output_write(in_folder("last"), whole, size, &error), &error);
        if (saved_state_read_file(&read, in_folder("last"), &error))
            fail_msg("a zero at %zu is taken", at);
        whole[at] = kept;
    }
    free(whole);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_a_picture_tells_its_recipe),
        IN_FOLDER(test_a_picture_without_a_recipe),
        IN_FOLDER(test_sizes_that_are_none),
        IN_FOLDER(test_its_model_is_found_by_hash),
        IN_FOLDER(test_a_model_never_saved),
        IN_FOLDER(test_a_broken_model_is_told),
        IN_FOLDER(test_a_state_is_kept),
        IN_FOLDER(test_a_state_cut_short_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
