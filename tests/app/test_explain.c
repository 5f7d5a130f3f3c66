/* The command explain: its page on standard output, and one line for each wrong call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/app/helper_program.h"

static void assert_says(const Ran *ran, const char *words) {
    if (!strstr(ran->out, words)) fail_msg("\"%s\" is not in:\n%s", words, ran->out);
}

static void test_page(void **state) {
    (void)state;
    Ran ran = RUN("explain", copy_model(), "--input", "4ab", "cross.0.1", "2", "1");
    assert_status(&ran, 0);
    assert_string_equal(ran.err, "");
    assert_says(&ran, "One weight from the beginning: cross.0.1, query 2 \"");
    assert_says(&ran, "key 1 \"a\"");
    for (int part = 1; part <= 6; part++) {
        char heading[8];
        snprintf(heading, sizeof heading, "\n%d. ", part);
        assert_says(&ran, heading);
    }
    Ran by_token = RUN("explain", copy_model(), "cross.0.1", "2", "a", "--input=4ab");
    assert_status(&by_token, 0);
    assert_string_equal(by_token.out, ran.out);
    ran_free(&ran);
    ran_free(&by_token);
}

/* Another target than the model's own changes what the decoder reads. */
static void test_target(void **state) {
    (void)state;
    Ran ran =
        RUN("explain", copy_model(), "--input", "4ab", "--target", "cd", "decoder.0.0", "1", "2");
    assert_status(&ran, 0);
    assert_says(&ran, "decoder.0.0, query 1 \"c→d\", key 2 \"d\"");
    assert_says(&ran, "The weight in the pass is 0.");
    assert_says(&ran, "Hidden: the site is causal, and key 2 comes after query 1");
    assert_says(&ran, "5. Here the story ends");
    ran_free(&ran);
}

static void test_errors(void **state) {
    (void)state;
    static const struct {
        const char *words[8], *named;
        int status;
    } wrong[] = {
        {{"cross.0.0", "0", "0"}, "--input TEXT", 2},
        {{"--input", "4a"}, "usage: headscope explain MODEL", 2},
        {{"--input", "4a", "cross.7.0", "0", "0"}, "the model has no cross.7.0", 2},
        {{"--input", "4a", "cross", "0", "0"}, "\"cross\" is no head", 2},
        {{"--input", "4a", "cross.0.0", "99", "0"}, "query 99: the decoder has", 2},
        {{"--input", "4a", "cross.0.0", "0", "9"}, "key 9: the encoder has", 2},
        {{"--input", "4a", "cross.0.0", "0"}, "say both", 2},
        {{"--input", "4a", "cross.0.0", "0", "z"}, "key z: no token", 2},
        {{"--input", "4a", "cross.0.0", "0", "0", "0"}, "one word too many", 2},
        {{"--input", "4a", "cross.0.0", "0", "0", "--x"}, "--x: no such option", 2},
        {{"--input", "€", "cross.0.0", "0", "0"}, "unknown to the model", 2},
        {{"--input", "4a", "--target", "€", "cross.0.0"}, "target: ", 2},
        {{"--input", "", "cross.0.0", "0", "0"}, "the input is empty", 2},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const char *words[12] = {"explain", copy_model()};
        memcpy(words + 2, wrong[i].words, sizeof wrong[i].words);
        Ran ran = program_run(words, NULL);
        assert_status(&ran, wrong[i].status);
        assert_string_equal(ran.out, "");
        assert_int_equal(count_lines(ran.err), 1);
        if (!strstr(ran.err, wrong[i].named)) fail_msg("%s: %s", wrong[i].named, ran.err);
        ran_free(&ran);
    }
    Ran ran = RUN("explain", "no-such-file", "--input", "4a", "cross.0.0");
    assert_status(&ran, 1);
    assert_int_equal(count_lines(ran.err), 1);
    ran_free(&ran);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_page),
        cmocka_unit_test(test_target),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
