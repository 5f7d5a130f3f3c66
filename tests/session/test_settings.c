#define _XOPEN_SOURCE 700 /* realpath: POSIX, but glibc declares it only with X/Open */
/* The settings file: what is written is read back; what is broken costs no more than itself. */
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
#include "app/window/settings.h"

static char folder[64], path[128];

static int make_folder(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/headscope-test-XXXXXX");
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/below/config", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    unlink(path);
    *strrchr(path, '/') = '\0';
    rmdir(path);
    return rmdir(folder);
}

static void write_text(const char *text) {
    assert_true(places_make_folders(path));
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
}

static char *read_text(void) {
    Error error;
    char *text = places_read(path, 1 << 20, NULL, &error);
    if (!text) fail_msg("%s", error.text);
    return text;
}

static void test_what_is_written_is_read_back(void **state) {
    (void)state;
    Error error = {0};
    Settings written = {.width = 901,
                        .height = 602,
                        .theme = THEME_DARK,
                        .colormap = COLORMAP_MAGMA,
                        .text_scale = 1.21F,
                        .model = "/tmp/a b = c.safetensors"};
    if (!settings_write(&written, path, &error)) fail_msg("%s", error.text);
    Settings read = settings_default();
    if (!settings_read(&read, path, &error)) fail_msg("%s", error.text);
    assert_int_equal(read.width, 901);
    assert_int_equal(read.height, 602);
    assert_int_equal(read.theme, THEME_DARK);
    assert_int_equal(read.colormap, COLORMAP_MAGMA);
    assert_true(read.text_scale == written.text_scale);
    assert_string_equal(read.model, written.model);
    settings_free(&read);
    assert_null(read.model);
}

static void test_no_file_is_no_failure(void **state) {
    (void)state;
    Error error = {0};
    Settings settings = settings_default();
    assert_true(settings_read(&settings, path, &error));
    assert_int_equal(settings.width, settings_default().width);
}

static void test_a_broken_line_costs_itself(void **state) {
    (void)state;
    Error error = {0};
    write_text("# mine\nwidth = 700\n\n height=-4\nno sense\ntheme = dark\nshape = round\n");
    Settings settings = settings_default();
    assert_false(settings_read(&settings, path, &error));
    assert_non_null(strstr(error.text, path));
    assert_non_null(strstr(error.text, "line 4: height = -4: it takes a whole number"));
    assert_int_equal(settings.width, 700);
    assert_int_equal(settings.height, settings_default().height);
    assert_int_equal(settings.theme, THEME_DARK);
}

static void assert_refused(const char *text) {
    Error error = {0};
    write_text(text);
    Settings settings = settings_default();
    if (settings_read(&settings, path, &error)) fail_msg("taken: %s", text);
    assert_non_null(strstr(error.text, path));
    assert_null(strchr(error.text, '\n'));
    Settings defaults = settings_default();
    assert_memory_equal(&settings, &defaults, offsetof(Settings, model));
}

static void test_bad_values(void **state) {
    (void)state;
    assert_refused("width = 0\n");
    assert_refused("width = 1e3");
    assert_refused("width =");
    assert_refused("height = 99999999999999999999\n");
    assert_refused("theme = blue\n");
    assert_refused("colormap = jet\n");
    assert_refused("text_scale = nan\n");
    assert_refused("text_scale = 9\n");
    assert_refused("\x01\x02\x03");
}

static void test_bytes_that_are_no_text(void **state) {
    (void)state;
    Error error = {0};
    write_text("");
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    fwrite("width = 5\n\0", 1, 11, stream);
    fclose(stream);
    Settings settings = settings_default();
    assert_false(settings_read(&settings, path, &error));
    assert_int_equal(settings.width, 1280);
}

static void test_comments_and_unknown_keys_stay(void **state) {
    (void)state;
    Error error = {0};
    write_text("# my own\nwidth = 5\nshape = round\nwidth = 6\nno sense\n");
    Settings settings = settings_default();
    if (!settings_write(&settings, path, &error)) fail_msg("%s", error.text);
    char *text = read_text();
    assert_string_equal(text, "# my own\nwidth = 1280\nshape = round\nheight = 800\n"
                              "theme = light\ncolormap = viridis\ntext_scale = 1\nmodel = \n");
    free(text);
}

static void test_a_folder_that_cannot_be_made(void **state) {
    (void)state;
    Error error = {0};
    Settings settings = settings_default();
    assert_false(settings_write(&settings, "/proc/none/config", &error));
    assert_non_null(strstr(error.text, "/proc/none/config"));
}

static void test_places_follow_the_environment(void **state) {
    (void)state;
    setenv("HOME", "/home/a", 1);
    setenv("XDG_CONFIG_HOME", "/conf", 1);
    setenv("XDG_STATE_HOME", "relative", 1); /* counts as not set */
    char *config = places_config(), *last = places_last();
    assert_string_equal(config, "/conf/headscope/config");
    assert_string_equal(last, "/home/a/.local/state/headscope/last");
    free(config);
    free(last);
    unsetenv("HOME");
    assert_null(places_last());
    char *beside = places_beside("/a/b/c.png", "d");
    assert_string_equal(beside, "/a/b/d");
    free(beside);
    beside = places_beside("c.png", "d");
    assert_string_equal(beside, "d");
    free(beside);
}

static void test_a_missing_file_has_an_absolute_path(void **state) {
    (void)state;
    char *here = realpath(".", NULL), *path_of = places_absolute("none.safetensors");
    assert_memory_equal(path_of, here, strlen(here));
    assert_string_equal(path_of + strlen(here), "/none.safetensors");
    free(path_of);
    free(here);
    path_of = places_absolute("/none/a");
    assert_string_equal(path_of, "/none/a");
    free(path_of);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_is_written_is_read_back, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(test_no_file_is_no_failure, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_a_broken_line_costs_itself, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(test_bad_values, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_bytes_that_are_no_text, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_comments_and_unknown_keys_stay, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(test_a_folder_that_cannot_be_made, make_folder,
                                        remove_folder),
        cmocka_unit_test(test_places_follow_the_environment),
        cmocka_unit_test(test_a_missing_file_has_an_absolute_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
