/* --trap: a model is trained with a mistake, keeps it, and can be run with and without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/app/helper_program.h"

static void test_a_trap_stays_with_its_model(void **state) {
    (void)state;
    char model[128];
    snprintf(model, sizeof model, "%s", in_folder("t.safetensors"));
    Ran ran = RUN("train", "copy", "--steps", "20", TINY, "--trap", "one-reshape", "-o", model);
    assert_status(&ran, 0);
    assert_non_null(strstr(ran.err, "with the trap one-reshape, which the model keeps"));
    ran_free(&ran);

    Ran kept = RUN("eval", model, "--count", "50");
    Ran right = RUN("eval", model, "--count", "50", "--trap", "none");
    Ran same = RUN("eval", model, "--count", "50", "--trap", "one-reshape");
    assert_status(&kept, 0);
    assert_status(&right, 0);
    assert_non_null(strstr(kept.out, "attention       with the trap one-reshape\n"));
    assert_null(strstr(right.out, "trap"));
    assert_string_equal(kept.out, same.out);
    ran_free(&kept);
    ran_free(&right);
    ran_free(&same);

    /* The weights' figures differ, so the mistake is really made. */
    Ran with = RUN("run", model, "--input", "headscope", "--json");
    Ran without = RUN("run", model, "--input", "headscope", "--json", "--trap", "none");
    assert_status(&with, 0);
    assert_status(&without, 0);
    assert_string_not_equal(with.out, without.out);
    ran_free(&with);
    ran_free(&without);
    Ran beam = RUN("run", model, "--input", "headscope", "--beam", "2");
    assert_status(&beam, 2);
    assert_non_null(strstr(beam.err, "write greedily, with a beam of 1"));
    ran_free(&beam);
}

static void test_the_result_does_not_depend_on_threads(void **state) {
    (void)state;
    char one[128], two[128];
    snprintf(one, sizeof one, "%s", in_folder("one"));
    snprintf(two, sizeof two, "%s", in_folder("two"));
    MUST_RUN("train", "copy", "--steps", "10", TINY, "--trap", "tiled-lens", "-o", one, "--threads",
             "1");
    MUST_RUN("train", "copy", "--steps", "10", TINY, "--trap", "tiled-lens", "-o", two, "--threads",
             "2");
    Ran a = RUN("eval", one, "--count", "50"), b = RUN("eval", two, "--count", "50");
    assert_string_equal(a.out, b.out);
    ran_free(&a);
    ran_free(&b);
}

/* A name of older versions is read; what is written has the new one. */
static void test_old_names(void **state) {
    (void)state;
    Ran ran = RUN("train", "copy", "--steps", "1", TINY, "--trap", "no-cross-padding", "-o",
                  in_folder("m.safetensors"));
    Ran eval = RUN("eval", in_folder("m.safetensors"), "--count", "10");
    Ran page = RUN("traps", "no-cross-padding");
    assert_status(&ran, 0);
    assert_status(&page, 0);
    assert_non_null(strstr(ran.err, "with the trap lens-ignored, which the model keeps"));
    assert_non_null(strstr(eval.out, "attention       with the trap lens-ignored\n"));
    assert_non_null(strstr(page.out, "The silent mistake lens-ignored"));
    ran_free(&ran);
    ran_free(&eval);
    ran_free(&page);
}

static void test_no_such_trap(void **state) {
    (void)state;
    Ran unknown = RUN("train", "copy", "--trap", "two-reshapes", "-o", in_folder("m"));
    Ran loud = RUN("eval", copy_model(), "--trap", "no-repeat");
    assert_status(&unknown, 2);
    assert_status(&loud, 2);
    assert_non_null(strstr(unknown.err, "two-reshapes: no such trap; there are none, one-reshape"));
    assert_non_null(
        strstr(loud.err, "no-repeat stops with an error where there are two heads or more"));
    assert_int_equal(count_lines(unknown.err), 1);
    ran_free(&unknown);
    ran_free(&loud);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_a_trap_stays_with_its_model),
        IN_FOLDER(test_the_result_does_not_depend_on_threads),
        IN_FOLDER(test_old_names),
        IN_FOLDER(test_no_such_trap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
