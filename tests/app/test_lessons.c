/* Lessons as commands: their text, their pictures, and how they end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "helper_picture.h"
#include "helper_program.h"

static void test_text_and_pictures(void **state) {
    (void)state;
    Ran text = RUN("provenance");
    assert_status(&text, 0);
    assert_true(count_lines(text.out) > 20);
    assert_string_equal(text.err, "");
    const char *png = in_folder("page.png"), *svg = in_folder("page.svg");
    Ran drawn = RUN("provenance", "--picture", png);
    assert_status(&drawn, 0);
    assert_string_equal(drawn.out, text.out); /* it prints the same */
    MUST_RUN("provenance", "--picture", svg, "--theme=dark", "--picture-width", "700");
    MUST_RUN("provenance", "--theme", "light", "--scale", "2", "--picture", in_folder("two.png"));
    size_t size, larger;
    char *bytes = file_read(png, &size);
    assert_memory_equal(bytes, "\x89PNG", 4);
    free(bytes);
    bytes = file_read(in_folder("two.png"), &larger);
    assert_int_equal((unsigned char)bytes[18] << 8 | (unsigned char)bytes[19], 2200);
    free(bytes);
    bytes = file_read(svg, NULL);
    assert_non_null(strstr(bytes, "<svg"));
    assert_non_null(strstr(bytes, "headscope provenance"));
    assert_non_null(strstr(bytes, "</svg>"));
    free(bytes);
    ran_free(&text);
    ran_free(&drawn);
}

static void test_help_has_the_shared_options(void **state) {
    (void)state;
    Ran ran = RUN("provenance", "--help");
    assert_status(&ran, 0);
    assert_non_null(strstr(ran.out, "usage: headscope provenance"));
    assert_non_null(strstr(ran.out, "--picture FILE"));
    assert_non_null(strstr(ran.out, "--theme"));
    ran_free(&ran);
    ran = RUN("--help");
    assert_non_null(strstr(ran.out, "provenance"));
    ran_free(&ran);
}

/* One line, status 2, and no file. */
static void refused(const char *const *words, const char *named) {
    Ran ran = program_run(words, NULL);
    assert_status(&ran, 2);
    assert_int_equal(count_lines(ran.err), 1);
    if (!strstr(ran.err, named)) fail_msg("%s does not name %s", ran.err, named);
    assert_int_equal(count_files(test_folder, ""), 0);
    ran_free(&ran);
}

#define REFUSED(named, ...)                                                                        \
    do {                                                                                           \
        remove_tree(test_folder);                                                                  \
        mkdir(test_folder, 0700);                                                                  \
        refused((const char *const[]){__VA_ARGS__, NULL}, named);                                  \
    } while (0)

static void test_wrong_calls(void **state) {
    (void)state;
    const char *png = in_folder("x.png"), *svg = in_folder("x.svg"), *txt = in_folder("x.txt");
    REFUSED("--picture", "provenance", "--picture", txt);
    REFUSED("a value must follow", "provenance", "--picture");
    REFUSED("--picture FILE", "provenance", "--theme", "dark");
    REFUSED("--theme", "provenance", "--picture", png, "--theme", "blue");
    REFUSED("--scale", "provenance", "--picture", png, "--scale", "99");
    REFUSED("--scale", "provenance", "--picture", svg, "--scale", "2");
    REFUSED("--picture-width", "provenance", "--picture", png, "--picture-width", "3");
    REFUSED("no such option", "provenance", "--picture", png, "--no-such");
}

static void test_a_picture_that_cannot_be_written(void **state) {
    (void)state;
    Ran ran = RUN("provenance", "--picture", "/no/such/folder/x.png");
    assert_status(&ran, 1);
    assert_int_equal(count_lines(ran.err), 1);
    assert_non_null(strstr(ran.err, "/no/such/folder"));
    ran_free(&ran);
}

/* The window draws the same page, and a picture of it opens there again. */
static void test_shot(void **state) {
    (void)state;
    const char *first = in_folder("a.png"), *again = in_folder("b.png");
    MUST_RUN("shot", copy_model(), "--do", "lesson provenance; scroll 90; theme dark", "--size",
             "900x600", "-o", first);
    MUST_RUN("shot", first, "-o", again);
    assert_same_pixels(first, again);
    Ran ran = RUN("shot", copy_model(), "--do", "lesson nothing", "-o", in_folder("c.png"));
    assert_status(&ran, 2);
    assert_false(file_exists(in_folder("c.png")));
    ran_free(&ran);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_text_and_pictures, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_help_has_the_shared_options, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(test_wrong_calls, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_a_picture_that_cannot_be_written, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(test_shot, make_folder, remove_folder)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
