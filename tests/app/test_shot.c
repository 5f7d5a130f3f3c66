/* `headscope shot`: the window's picture without a display, with its recipe; what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "helper_picture.h"
#include "helper_program.h"

static void test_same_call_same_bytes(void **state) {
    (void)state;
    const char *a = in_folder("a.png");
    MUST_RUN("shot", copy_model(), "--size", "900x600", "-o", a);
    size_t size, again;
    char *bytes = file_read(a, &size);
    MUST_RUN("shot", copy_model(), "--size", "900x600", "-o", a);
    char *same = file_read(a, &again);
    assert_int_equal(size, again);
    assert_memory_equal(bytes, same, size);
    free(bytes);
    free(same);
    Picture picture = picture_read(a);
    assert_int_equal(picture.width, 900);
    assert_int_equal(picture.height, 600);
    picture_free(&picture);
}

static void test_scale_multiplies_the_pixels(void **state) {
    (void)state;
    const char *a = in_folder("a.png"), *b = in_folder("b.png");
    MUST_RUN("shot", copy_model(), "--size", "301x203", "--scale", "2", "-o", a);
    Picture picture = picture_read(a);
    assert_int_equal(picture.width, 602);
    assert_int_equal(picture.height, 406);
    picture_free(&picture);
    char save[300];
    snprintf(save, sizeof save, "save %s 4", b);
    MUST_RUN("shot", copy_model(), "--size", "301x203", "--do", save);
    picture = picture_read(b);
    assert_int_equal(picture.width, 1204);
    picture_free(&picture);
}

/* Everything twice as large is what a window of half the size shows, pixel for pixel. */
static void test_text_scale_makes_everything_larger(void **state) {
    (void)state;
    const char *a = in_folder("a.png"), *b = in_folder("b.png");
    MUST_RUN("shot", copy_model(), "--size", "1400x1000", "--do", "text_scale 2", "-o", a);
    MUST_RUN("shot", copy_model(), "--size", "700x500", "--scale", "2", "-o", b);
    assert_same_pixels(a, b);
}

#define ACTIONS "input abc; step 2; ablate cross.0.1; compare cross.0.0 cross.0.1; theme dark"

/* A picture is the same again from its own recipe, also where its model lies beside it alone. */
static void test_a_picture_draws_itself_again(void **state) {
    (void)state;
    const char *a = in_folder("a.png"), *b = in_folder("b.png");
    MUST_RUN("shot", copy_model(), "--size", "700x500", "--scale", "1.5", "--do", ACTIONS, "-o", a);
    MUST_RUN("shot", a, "-o", b);
    assert_same_pixels(a, b);
    Picture picture = picture_read(a);
    assert_non_null(strstr(picture_text(&picture, "headscope:actions"), "ablate cross.0.1"));
    assert_string_equal(picture_text(&picture, "headscope:size"), "700x500 1.5");
    assert_non_null(strstr(picture_text(&picture, "headscope:command"), "headscope shot"));
    assert_int_equal(strlen(picture_text(&picture, "headscope:model")), 64);
    picture_free(&picture);
}

static void test_actions_change_the_picture(void **state) {
    (void)state;
    static const char *const actions[] = {"select encoder.0.0", "theme dark", "step 1",
                                          "ablate cross.0.0",   "help on",    "page train"};
    const char *a = in_folder("a.png"), *b = in_folder("b.png");
    MUST_RUN("shot", copy_model(), "-o", a);
    Picture plain = picture_read(a);
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        MUST_RUN("shot", copy_model(), "--do", actions[i], "-o", b);
        Picture changed = picture_read(b);
        if (same_pixels(&plain, &changed)) fail_msg("%s changes nothing", actions[i]);
        picture_free(&changed);
    }
    picture_free(&plain);
}

static void test_actions_save_on_the_way(void **state) {
    (void)state;
    const char *a = in_folder("a.png"), *b = in_folder("b.png"), *c = in_folder("c.png");
    char actions[600];
    snprintf(actions, sizeof actions, "save %s; theme dark; sheet %s; select encoder.0.0; save %s",
             a, b, c);
    MUST_RUN("shot", copy_model(), "--size", "600x400", "--do", actions);
    const char *again = in_folder("again.png");
    MUST_RUN("shot", copy_model(), "--size", "600x400", "-o", again);
    assert_same_pixels(a, again);
    MUST_RUN("shot", copy_model(), "--size", "600x400", "--theme", "dark", "--do",
             "select encoder.0.0", "-o", again);
    assert_same_pixels(c, again);
    Picture sheet = picture_read(b);
    assert_true(sheet.height > 400);
    picture_free(&sheet);
}

/* The sheet of what is on show: with a head knocked out it is another one. */
static void test_a_sheet_shows_the_world(void **state) {
    (void)state;
    const char *a = in_folder("a.png"), *b = in_folder("b.png"), *svg = in_folder("a.svg");
    char actions[600];
    snprintf(actions, sizeof actions, "sheet %s; ablate encoder.0; sheet %s; sheet %s", a, b, svg);
    MUST_RUN("shot", copy_model(), "--do", actions);
    Picture plain = picture_read(a), changed = picture_read(b);
    assert_false(same_pixels(&plain, &changed));
    picture_free(&plain);
    picture_free(&changed);
    char *text = file_read(svg, NULL);
    assert_non_null(strstr(text, "<svg"));
    free(text);
}

/* Each is refused with this status, in one line that holds the words, and nothing is written. */
static void assert_refused(int status, const char *words, const char *const *call) {
    Ran ran = program_run(call, NULL);
    assert_status(&ran, status);
    if (!strstr(ran.err, words)) fail_msg("\"%s\" is not in: %s", words, ran.err);
    assert_int_equal(count_lines(ran.err), 1);
    assert_string_equal(ran.out, "");
    ran_free(&ran);
    assert_int_equal(count_files(test_folder, ".png") + count_files(test_folder, ".part"), 0);
}

#define REFUSED(status, words, ...)                                                                \
    assert_refused(status, words, (const char *const[]){"shot", __VA_ARGS__, NULL})

static void test_bad_calls_are_refused(void **state) {
    (void)state;
    const char *model = copy_model(), *out = in_folder("a.png");
    REFUSED(2, "usage", "-o", out);
    REFUSED(2, "say where to write", model);
    REFUSED(1, "none.safetensors", in_folder("none.safetensors"), "-o", out);
    REFUSED(2, "--size", model, "--size", "0x5", "-o", out);
    REFUSED(2, "--size", model, "--size", "800", "-o", out);
    REFUSED(2, "--scale", model, "--scale", "9", "-o", out);
    REFUSED(2, "too large", model, "--size", "16384x16384", "--scale", "8", "-o", out);
    REFUSED(2, "theme", model, "--theme", "blue", "-o", out);
    REFUSED(2, "is no action", model, "--do", "dance", "-o", out);
    REFUSED(2, "cross.9.9", model, "--do", "step 1; select cross.9.9", "-o", out);
    REFUSED(2, "only the window", model, "--do", "play", "-o", out);
    REFUSED(2, "U+00E9", model, "--input", "\xC3\xA9", "-o", out);
    REFUSED(1, "/none/a.png", model, "-o", "/none/a.png");
    REFUSED(2, "end the name in .png", model, "-o", in_folder("a.svg"));
    REFUSED(2, "end the name in .png", model, "-o", in_folder("png"));
    REFUSED(2, "end the name in .png", model, "--do", "save a.svg");
    REFUSED(2, "end the name in .png", model, "--do", "save a 2");
    REFUSED(2, "the scale is 1, 2 or 4", model, "--do", "save a.png 3");
    REFUSED(2, "the scale is 1, 2 or 4", model, "--do", "save a.png  22");
    assert_false(file_exists(in_folder("a.svg")));
}

static void test_a_full_disk_is_told(void **state) {
    (void)state;
    REFUSED(1, "/dev/full", copy_model(), "-o", "/dev/full");
}

/* Another model in its place is refused, and taken with --force. */
static void test_another_model_is_refused(void **state) {
    (void)state;
    const char *a = in_folder("a.png"), *b = in_folder("b.png");
    char model[256];
    snprintf(model, sizeof model, "%s", in_folder("m.safetensors"));
    MUST_RUN("train", "copy", "--steps", "1", TINY, "-o", model);
    MUST_RUN("shot", model, "--do", "select encoder.0.1", "-o", a);
    MUST_RUN("train", "copy", "--steps", "1", TINY, "--seed", "5", "-o", model);
    Ran ran = RUN("shot", a, "-o", b);
    assert_status(&ran, 2);
    assert_non_null(strstr(ran.err, "--force"));
    assert_false(file_exists(b));
    ran_free(&ran);
    MUST_RUN("shot", a, "--force", "-o", b);
    assert_true(file_exists(b));
}

static void test_pictures_without_a_recipe(void **state) {
    (void)state;
    char model[256];
    snprintf(model, sizeof model, "%s", copy_model());
    MUST_RUN("export", model, "--input", "ab", "-o", in_folder("sheet.png"));
    Ran ran = RUN("shot", in_folder("sheet.png"), "-o", in_folder("b.png"));
    assert_status(&ran, 2);
    assert_non_null(strstr(ran.err, "no state to open"));
    ran_free(&ran);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_same_call_same_bytes),
        IN_FOLDER(test_scale_multiplies_the_pixels),
        IN_FOLDER(test_text_scale_makes_everything_larger),
        IN_FOLDER(test_a_picture_draws_itself_again),
        IN_FOLDER(test_actions_change_the_picture),
        IN_FOLDER(test_actions_save_on_the_way),
        IN_FOLDER(test_a_sheet_shows_the_world),
        IN_FOLDER(test_bad_calls_are_refused),
        IN_FOLDER(test_a_full_disk_is_told),
        IN_FOLDER(test_another_model_is_refused),
        IN_FOLDER(test_pictures_without_a_recipe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
