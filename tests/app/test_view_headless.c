/* `headscope view` where there is no display, and on SDL's dummy one: what it says, what it shows,
 * what it keeps from one start to the next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "helper_picture.h"
#include "helper_program.h"

/* A fresh folder, in which the person's files are too, and no display. */
static int make_home(void **state) {
    if (make_folder(state) != 0) return -1;
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    setenv("SDL_VIDEODRIVER", "dummy", 1);
    setenv("XDG_CONFIG_HOME", in_folder("config"), 1);
    setenv("XDG_STATE_HOME", in_folder("state"), 1);
    return 0;
}

static const char *config(void) {
    return in_folder("config/headscope/config");
}

static const char *last(void) {
    return in_folder("state/headscope/last");
}

static const char *with_save(char actions[512], const char *before, const char *path) {
    snprintf(actions, 512, "%s%ssave %s; quit", before, before[0] ? "; " : "", path);
    return actions;
}

static void assert_no_display(void) {
    Ran ran = program_run((const char *const[]){NULL}, NULL);
    assert_status(&ran, 1);
    assert_string_equal(ran.out, "");
    assert_int_equal(count_lines(ran.err), 1);
    assert_non_null(strstr(ran.err, "headscope shot"));
    assert_non_null(strstr(ran.err, "--help"));
    ran_free(&ran);
    assert_false(file_exists(config()));
}

static void test_without_a_display_it_says_what_to_do(void **state) {
    (void)state;
    unsetenv("SDL_VIDEODRIVER");
    assert_no_display();
    setenv("DISPLAY", ":64999", 1); /* there is no such server */
    assert_no_display();
    unsetenv("DISPLAY");
    setenv("SDL_VIDEODRIVER", "", 1); /* chooses nothing */
    setenv("DISPLAY", ":64999", 1);
    assert_no_display();
    unsetenv("DISPLAY");
    setenv("SDL_VIDEODRIVER", "x11", 1);
    assert_no_display();
}

static void test_all_actions_are_listed(void **state) {
    (void)state;
    static const char *const verbs[] = {"input", "ablate", "compare", "hover", "save", "quit"};
    Ran ran = RUN("view", "--actions");
    assert_status(&ran, 0);
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (!strstr(ran.out, verbs[i])) fail_msg("%s is not listed", verbs[i]);
    ran_free(&ran);
}

/* The window and its twin draw the same. */
static void test_the_window_is_as_the_shot(void **state) {
    (void)state;
    static const char *const actions[] = {"",
                                          "input ab; step 2; ablate cross.0.1",
                                          "compare cross.0.0 cross.0.1; theme dark",
                                          "focus on; lines on; threshold 0.1",
                                          "text_scale 1.3; companion abc; hover encoder.0.0 1 1",
                                          "present on",
                                          "page train"};
    const char *a = in_folder("a.png"), *b = in_folder("b.png");
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        char with[512];
        MUST_RUN("view", copy_model(), "--size", "900x600", "--do", with_save(with, actions[i], a));
        char select[600]; /* a first start looks for a head that matters */
        Picture picture = picture_read(a);
        snprintf(select, sizeof select, "%s", picture_text(&picture, "headscope:actions"));
        picture_free(&picture);
        MUST_RUN("shot", copy_model(), "--size", "900x600", "--do", select, "-o", b);
        assert_same_pixels(a, b);
    }
}

static void test_the_next_start_goes_on(void **state) {
    (void)state;
    char with[512];
    const char *a = in_folder("a.png"), *b = in_folder("b.png");
    MUST_RUN("view", copy_model(), "--size", "800x500", "--do",
             with_save(with, "input abab; theme dark; ablate encoder.0.0", a));
    assert_true(file_exists(config()) && file_exists(last()));
    MUST_RUN("view", "--do", with_save(with, "", b));
    assert_same_pixels(a, b);
    /* Its looks and size are also those of another model. */
    MUST_RUN("train", "reverse", "--steps", "1", TINY, "-o", in_folder("r.safetensors"));
    MUST_RUN("view", in_folder("r.safetensors"), "--do", with_save(with, "", b));
    Picture picture = picture_read(b);
    assert_int_equal(picture.width, 800);
    assert_non_null(strstr(picture_text(&picture, "headscope:actions"), "theme dark"));
    assert_null(strstr(picture_text(&picture, "headscope:actions"), "ablate"));
    picture_free(&picture);
}

/* The model that was open last is gone, then changed: another one is shown, or itself anew. */
static void test_a_last_model_that_is_gone(void **state) {
    (void)state;
    char with[512], model[256];
    const char *b = in_folder("b.png");
    snprintf(model, sizeof model, "%s", in_folder("m.safetensors"));
    MUST_RUN("train", "reverse", "--steps", "1", TINY, "-o", model);
    MUST_RUN("view", model, "--do", "ablate encoder.0.0; quit");
    MUST_RUN("train", "reverse", "--steps", "1", TINY, "--seed", "3", "-o", model);
    MUST_RUN("view", "--do", with_save(with, "", b));
    Picture picture = picture_read(b);
    assert_string_equal(picture_text(&picture, "headscope:file"), "m.safetensors");
    assert_null(strstr(picture_text(&picture, "headscope:actions"), "ablate"));
    picture_free(&picture);
    unlink(model);
    if (!file_exists("assets/dates.safetensors")) return;
    MUST_RUN("view", "--do", with_save(with, "", b));
    picture = picture_read(b);
    assert_non_null(strstr(picture_text(&picture, "headscope:file"), "dates"));
    picture_free(&picture);
}

static void test_a_picture_opens_its_state(void **state) {
    (void)state;
    char with[512];
    const char *a = in_folder("a.png"), *b = in_folder("b.png");
    MUST_RUN("shot", copy_model(), "--size", "640x480", "--do", "input ba; select encoder.0.1",
             "-o", a);
    MUST_RUN("view", a, "--do", with_save(with, "", b));
    assert_same_pixels(a, b);
}

/* Writes a file in folders that are made. */
static void write_below(const char *folder, const char *path, const char *text, size_t size) {
    char above[256];
    snprintf(above, sizeof above, "%s", in_folder(folder));
    mkdir(above, 0700);
    snprintf(above, sizeof above, "%s/headscope", in_folder(folder));
    mkdir(above, 0700);
    file_write(path, text, size);
}

static void assert_file_is(const char *path, const char *wanted) {
    char *text = file_read(path, NULL);
    assert_string_equal(text, wanted);
    free(text);
}

/* Runs the window; what it says on standard error is one line that holds the words. */
static void assert_says(const char *words, const char *const *call) {
    Ran ran = program_run(call, NULL);
    assert_status(&ran, 0);
    if (!strstr(ran.err, words)) fail_msg("\"%s\" is not in: %s", words, ran.err);
    assert_int_equal(count_lines(ran.err), 1);
    ran_free(&ran);
}

#define SAYS(words, ...) assert_says(words, (const char *const[]){"view", __VA_ARGS__, NULL})

/* A state that cannot be shown is kept aside, and told. */
static void test_a_last_state_that_is_lost(void **state) {
    (void)state;
    char model[256], old[256], *before;
    snprintf(model, sizeof model, "%s", in_folder("m.safetensors"));
    snprintf(old, sizeof old, "%s.old", last());
    MUST_RUN("train", "reverse", "--steps", "1", TINY, "-o", model);
    MUST_RUN("view", model, "--do", "ablate encoder.0.0; quit");
    before = file_read(last(), NULL);
    MUST_RUN("train", "reverse", "--steps", "1", TINY, "--seed", "3", "-o", model);
    SAYS("m.safetensors", "--do", "quit");
    assert_file_is(old, before);
    free(before);
    write_below("state", last(), "\x01\x02", 2);
    SAYS("is no state that headscope kept", "--do", "quit");
    assert_file_is(old, "\x01\x02");
    unlink(model);
    if (!file_exists("assets/dates.safetensors")) return;
    SAYS("is not to be found", "--do", "quit");
    char *now = file_read(last(), NULL);
    assert_non_null(strstr(now, "dates.safetensors"));
    free(now);
}

/* As the pictures do, by its hash. */
static void test_a_last_model_is_found_by_hash(void **state) {
    (void)state;
    if (!file_exists("assets/reverse.safetensors")) return;
    size_t size;
    char with[512], model[256], *bytes = file_read("assets/reverse.safetensors", &size);
    const char *a = in_folder("a.png");
    snprintf(model, sizeof model, "%s", in_folder("mine.safetensors"));
    file_write(model, bytes, size);
    free(bytes);
    MUST_RUN("view", model, "--do", "ablate encoder.0.0; quit");
    unlink(model);
    MUST_RUN("view", "--do", with_save(with, "", a));
    Picture picture = picture_read(a);
    assert_non_null(strstr(picture_text(&picture, "headscope:file"), "reverse"));
    assert_non_null(strstr(picture_text(&picture, "headscope:actions"), "ablate encoder.0.0"));
    picture_free(&picture);
}

/* Its size and looks are its own, until a person changes them. */
static void test_a_picture_keeps_its_looks_to_itself(void **state) {
    (void)state;
    const char *a = in_folder("a.png"), *b = in_folder("b.png");
    char with[512];
    MUST_RUN("shot", copy_model(), "--size", "640x480", "--do", "theme dark; colormap magma", "-o",
             a);
    MUST_RUN("view", copy_model(), "--size", "800x500", "--do", "colormap cividis; quit");
    MUST_RUN("view", a, "--do", with_save(with, "", b));
    assert_same_pixels(a, b);
    MUST_RUN("view", "--do", with_save(with, "", b));
    Picture picture = picture_read(b);
    const char *actions = picture_text(&picture, "headscope:actions");
    assert_int_equal(picture.width, 800);
    assert_null(strstr(actions, "theme dark"));
    assert_non_null(strstr(actions, "colormap cividis"));
    picture_free(&picture);
    MUST_RUN("view", a, "--do", "theme light; theme dark; colormap grey; quit");
    char *text = file_read(config(), NULL);
    assert_non_null(strstr(text, "width = 800\n"));
    assert_non_null(strstr(text, "theme = light\n"));
    assert_non_null(strstr(text, "colormap = grey\n"));
    free(text);
}

/* The rest of it counts, and it stays as it is until something else is to be kept. */
static void test_a_bad_line_costs_itself(void **state) {
    (void)state;
    char text[600], with[512];
    const char *b = in_folder("b.png");
    snprintf(text, sizeof text, "width = -5\nheight = 500\nmine = 1\ntheme = dark\nmodel = %s\n",
             in_folder("m.safetensors"));
    MUST_RUN("train", "reverse", "--steps", "1", TINY, "-o", in_folder("m.safetensors"));
    write_below("config", config(), text, strlen(text));
    SAYS("line 1: width = -5", "--do", with_save(with, "", b));
    assert_file_is(config(), text);
    Picture picture = picture_read(b);
    assert_int_equal(picture.width, 1280);
    assert_int_equal(picture.height, 500);
    assert_non_null(strstr(picture_text(&picture, "headscope:actions"), "theme dark"));
    picture_free(&picture);
    SAYS("line 1: width = -5", "--do", "theme light; quit");
    char *changed = file_read(config(), NULL);
    assert_non_null(strstr(changed, "height = 500\nmine = 1\ntheme = light\nmodel = "));
    free(changed);
    write_below("config", config(), "a\0b", 3);
    Ran ran = RUN("view", copy_model(), "--do", "theme dark; quit");
    assert_status(&ran, 0);
    assert_non_null(strstr(ran.err, "is no text"));
    ran_free(&ran);
    size_t size;
    free(file_read(config(), &size));
    assert_int_equal(size, 3);
}

static void test_without_fonts_it_says_so(void **state) {
    (void)state;
    file_write(in_folder("fonts.conf"), "<fontconfig></fontconfig>", 25);
    setenv("FONTCONFIG_FILE", in_folder("fonts.conf"), 1);
    Ran ran = RUN("view", copy_model());
    unsetenv("FONTCONFIG_FILE");
    assert_status(&ran, 1);
    assert_int_equal(count_lines(ran.err), 1);
    assert_non_null(strstr(ran.err, "no font found"));
    ran_free(&ran);
}

static void test_a_broken_config_is_no_failure(void **state) {
    (void)state;
    write_below("config", config(), "width = none\n", 13);
    Ran ran = RUN("view", copy_model(), "--do", "quit");
    assert_status(&ran, 0);
    assert_int_equal(count_lines(ran.err), 1);
    assert_non_null(strstr(ran.err, "line 1: width = none"));
    ran_free(&ran);
}

/* Where a file stands in place of the folders nothing can be kept; the window opens all the same,
 * and says it once of each. */
static void test_a_home_that_cannot_be_written(void **state) {
    (void)state;
    file_write(in_folder("config"), "", 0);
    file_write(in_folder("state"), "", 0);
    Ran ran = RUN("view", copy_model(), "--do", "step 1; quit");
    assert_status(&ran, 0);
    assert_int_equal(count_lines(ran.err), 2);
    assert_non_null(strstr(ran.err, "the state cannot be kept for the next start: /"));
    assert_non_null(strstr(ran.err, "the settings cannot be kept for the next start: /"));
    ran_free(&ran);
}

static void test_a_script_begins_with_its_first_state(void **state) {
    (void)state;
    char with[512];
    const char *script = in_folder("talk"), *a = in_folder("a.png"), *b = in_folder("b.png");
    static const char text[] = "# a talk\n\nthe first: input ab; select encoder.0.1\nstep 1\n";
    file_write(script, text, sizeof text - 1);
    MUST_RUN("view", copy_model(), "--size", "640x480", "--script", script, "--do",
             with_save(with, "", a));
    MUST_RUN("shot", copy_model(), "--size", "640x480", "--do", "input ab; select encoder.0.1",
             "-o", b);
    assert_same_pixels(a, b);
}

static void assert_refused(int status, const char *words, const char *const *call) {
    Ran ran = program_run(call, NULL);
    assert_status(&ran, status);
    if (!strstr(ran.err, words)) fail_msg("\"%s\" is not in: %s", words, ran.err);
    assert_int_equal(count_lines(ran.err), 1);
    ran_free(&ran);
}

#define REFUSED(status, words, ...)                                                                \
    assert_refused(status, words, (const char *const[]){"view", __VA_ARGS__, NULL})

static void test_bad_calls_are_refused(void **state) {
    (void)state;
    const char *model = copy_model(), *script = in_folder("talk");
    file_write(script, "# nothing\n", 10);
    REFUSED(1, "none.safetensors", in_folder("none.safetensors"));
    REFUSED(2, "is no action", model, "--do", "dance");
    REFUSED(2, "--size", model, "--size", "1x");
    REFUSED(2, "theme", model, "--theme", "blue");
    REFUSED(2, "has no state", model, "--script", script);
    file_write(script, "step 1\nlast: dance\n", 19);
    REFUSED(2, "state 2, last", model, "--script", script);
    REFUSED(1, "none.txt", model, "--script", in_folder("none.txt"));
}

/* The first start shows a picture before it looks for a head. */
static void test_the_times_of_pictures_are_written(void **state) {
    (void)state;
    static const char heading[] = "kind\tage\thandle\tmodel\tscreen\tdraw\tpresent\ttotal\tat\n";
    const char *times = in_folder("times"), *nowhere = in_folder("none/times");
    MUST_RUN("view", copy_model(), "--frames", times, "--do", "quit");
    char *text = file_read(times, NULL);
    int end = -1;
    assert_int_equal(strncmp(text, heading, strlen(heading)), 0);
    sscanf(text + strlen(heading), "timer\t0\t0.000\t%*f\t%*f\t%*f\t%*f\t%*f\t%*f%n", &end);
    assert_true(end > 0);
    assert_string_equal(text + strlen(heading) + end, "\n");
    free(text);
    REFUSED(1, nowhere, copy_model(), "--frames", nowhere);
}

#define AT_HOME(test) cmocka_unit_test_setup_teardown(test, make_home, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        AT_HOME(test_without_a_display_it_says_what_to_do),
        AT_HOME(test_all_actions_are_listed),
        AT_HOME(test_the_window_is_as_the_shot),
        AT_HOME(test_the_next_start_goes_on),
        AT_HOME(test_a_last_model_that_is_gone),
        AT_HOME(test_a_picture_opens_its_state),
        AT_HOME(test_a_last_state_that_is_lost),
        AT_HOME(test_a_last_model_is_found_by_hash),
        AT_HOME(test_a_picture_keeps_its_looks_to_itself),
        AT_HOME(test_a_bad_line_costs_itself),
        AT_HOME(test_without_fonts_it_says_so),
        AT_HOME(test_a_broken_config_is_no_failure),
        AT_HOME(test_a_home_that_cannot_be_written),
        AT_HOME(test_a_script_begins_with_its_first_state),
        AT_HOME(test_the_times_of_pictures_are_written),
        AT_HOME(test_bad_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
