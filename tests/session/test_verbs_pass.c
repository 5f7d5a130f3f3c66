/* The verbs that change what the model reads, or how: the state that follows, and the pass. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "tests/session/helper_session.h"

#define LOOKS "; select cross.1.0; against cross.1.1"

static void test_state_that_follows(void **state) {
    (void)state;
    static const HelperStep steps[] = {
        {"input abc", "input abc" LOOKS},
        {"input \" a;b \"", "input \" a;b \"" LOOKS},
        {"input", "input \"\"" LOOKS},
        {"input abc; input d", "input d" LOOKS},
        {"prefix xy", "input a; prefix xy" LOOKS},
        {"prefix \"\"", "input a; prefix \"\"" LOOKS},
        {"prefix xy; prefix", "input a" LOOKS},
        {"target xy", "input a; target xy" LOOKS},
        {"target \"\"", "input a; target \"\"" LOOKS},
        {"target xy; target", "input a" LOOKS},
        {"target xy; prefix z", "input a; prefix z" LOOKS},
        {"prefix xy; target", "input a" LOOKS},
        {"companion bcd", "input a; companion on; input bcd" LOOKS},
        {"companion on", "input a; companion on; input a" LOOKS},
        {"companion", "input a; companion on; input a" LOOKS},
        {"companion; companion", "input a" LOOKS},
        {"companion bcd; companion off", "input a" LOOKS},
        {"companion bcd; companion off; companion", "input a; companion on; input bcd" LOOKS},
        {"companion bcd; input e", "input a; companion on; input e" LOOKS},
        {"companion on; input off", "input a; companion on; input off" LOOKS},
        {"companion bcd; prefix x; enc_len 2",
         "input a; companion on; input bcd; prefix x; enc_len 2" LOOKS},
        {"companion bcd; example 0", "input a; companion on; input bcd; example 0" LOOKS},
        {"companion bcd; example 0; input e", "input e; companion on; input bcd; example 0" LOOKS},
        {"companion b; example 0; example 1; input c", "input a; companion on; input c" LOOKS},
        {"companion b; example 0; companion off; input c", "input c" LOOKS},
        {"example 0", "input a" LOOKS},
        {"enc_len 0", "input a; enc_len 0" LOOKS},
        {"enc_len 17", "input a; enc_len 17" LOOKS},
        {"enc_len 3; enc_len auto", "input a" LOOKS},
        {"enc_len next", "input a; enc_len 3" LOOKS}, /* a and the end mark are 2 */
        {"enc_len previous", "input a; enc_len 1" LOOKS},
        {"enc_len 0; enc_len previous", "input a; enc_len 0" LOOKS},
        {"enc_len 17; enc_len next", "input a; enc_len 17" LOOKS},
        {"input abcd; enc_len previous; enc_len previous", "input abcd; enc_len 3" LOOKS},
        {"companion bcd; enc_len next", "input a; companion on; input bcd; enc_len 5" LOOKS},
        {"dec_len 0", "input a; dec_len 0" LOOKS},
        {"dec_len 17", "input a; dec_len 17" LOOKS},
        {"dec_len 3; dec_len auto", "input a" LOOKS},
        {"target xyz; dec_len next", "input a; target xyz; dec_len 5" LOOKS},
        {"target xyz; dec_len previous", "input a; target xyz; dec_len 3" LOOKS},
        {"dec_len 0; dec_len previous", "input a; dec_len 0" LOOKS},
        {"causal off", "input a; causal off" LOOKS},
        {"causal", "input a; causal off" LOOKS},
        {"causal toggle; causal toggle", "input a" LOOKS},
        {"causal off; causal on", "input a" LOOKS},
        {"trap tiled-lens", "input a; trap tiled-lens" LOOKS},
        {"trap tiled-lens; trap off", "input a" LOOKS},
        {"trap tiled-lens; trap none", "input a" LOOKS},
        {"step 1", "input a; step 1" LOOKS},
        {"step 17", "input a; step 17" LOOKS},
        {"step 3; step all", "input a" LOOKS},
        {"target xyz; step next", "input a; target xyz; step 1" LOOKS},
        {"target xyz; step 3; step next", "input a; target xyz" LOOKS}, /* of 4: all again */
        {"target xyz; step previous", "input a; target xyz; step 3" LOOKS},
        {"target xyz; step 1; step previous", "input a; target xyz; step 1" LOOKS},
        {"target xyz; step 2; step previous", "input a; target xyz; step 1" LOOKS},
        {"target \"\"; step next", "input a; target \"\"; step 1" LOOKS},
        {"target \"\"; step previous", "input a; target \"\"; step 1" LOOKS},
        {"target xyz; step 9; step previous", "input a; target xyz; step 3" LOOKS},
    };
    helper_steps(steps, sizeof steps / sizeof steps[0]);
}

static void test_bad_arguments(void **state) {
    (void)state;
    static const HelperStep refused[] = {
        {"example 1", "example"},
        {"example", "example"},
        {"example next", "example"},
        {"companion b; example 2", "example"},
        {"enc_len", "enc_len"},
        {"enc_len 18", "enc_len"},
        {"enc_len -1", "enc_len"},
        {"enc_len 3 4", "enc_len"},
        {"enc_len 99999999999999999999", "enc_len"},
        {"enc_len 3.5", "enc_len"},
        {"enc_len all", "enc_len"},
        {"dec_len", "dec_len"},
        {"dec_len 18", "dec_len"},
        {"dec_len +1", "dec_len"},
        {"dec_len \" 3\"", "dec_len"},
        {"causal maybe", "causal"},
        {"trap two-reshapes", "trap: two-reshapes: no such trap; there are none, one-reshape, "},
        {"trap no-repeat", "trap: no-repeat stops with an error where there are two heads or more"},
        {"causal \"\"", "causal"},
        {"step 0", "step"},
        {"step 18", "step"},
        {"step", "step"},
        {"step auto", "step"},
        {"snapshot 0", "snapshot"},
        {"snapshot next", "snapshot"},
        {"snapshot", "snapshot"},
        {"input \"a", "input"},
    };
    helper_refusals(refused, sizeof refused / sizeof refused[0]);
}

/* --- the pass --------------------------------------------------------------------------------- */

static void test_input_changes_the_pass(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){.task = "copy"});
    const Pass *pass = helper_session_pass(session);
    assert_int_equal(pass->count, 1);
    assert_int_equal(pass->examples[0].source_count, 10); /* headscope and the end mark */
    helper_apply(session, "input abc");
    pass = helper_session_pass(session);
    assert_int_equal(pass->examples[0].source_count, 4);
    assert_string_equal(pass->examples[0].source[2], "c");
    assert_int_equal(trace_shape(pass->world.examples[0].trace, SITE_ENCODER).keys, 4);
    helper_apply(session, "companion defghi");
    pass = helper_session_pass(session);
    assert_int_equal(pass->count, 2);
    assert_int_equal(pass->source_len, 7);
    assert_int_equal(pass->examples[1].source_count, 7);
    helper_apply(session, "companion off");
    assert_int_equal(helper_session_pass(session)->count, 1);
    session_free(session);
}

static void test_target_and_step_change_the_pass(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    helper_apply(session, "input abc; target xyz");
    const Pass *pass = helper_session_pass(session);
    assert_int_equal(pass->target_len, 4);
    assert_string_equal(pass->examples[0].output, "xyz");
    assert_string_equal(pass->examples[0].steps[0], "<s>→x");
    assert_string_equal(pass->examples[0].steps[3], "z→</s>");
    helper_apply(session, "step 2");
    pass = helper_session_pass(session);
    assert_int_equal(pass->target_len, 4);
    assert_int_equal(pass->steps, 2);
    assert_int_equal(trace_shape(pass->world.examples[0].trace, SITE_CROSS).queries, 2);
    helper_apply(session, "step all; dec_len 6; enc_len 5");
    pass = helper_session_pass(session);
    assert_int_equal(pass->target_len, 6);
    assert_int_equal(pass->source_len, 5);
    assert_true(pass->changed);
    session_free(session);
}

/* A text that cannot be run is a problem, and what is on show stays. */
static void test_problems(void **state) {
    (void)state;
    static const HelperStep bad[] = {{"input a%", "'%'"},
                                     {"input", "empty"},
                                     {"input \"a\nb\"", "U+000A"},
                                     {"input a\xff", "\\xFF"},
                                     {"input ä", "'ä' (U+00E4)"},
                                     {"input abcdefghijklmnopq", "at most 16"},
                                     {"target a%", "target: "},
                                     {"prefix \xc3", "target: "},
                                     {"companion a%", "'%'"},
                                     {"companion", NULL},
                                     {"target abcdefghijklmnopqr", "target: "}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        Session *session = helper_session((HelperModel){0});
        helper_apply(session, "input abc");
        assert_int_equal(helper_session_pass(session)->examples[0].source_count, 4);
        assert_null(session_problem(session));
        helper_apply(session, bad[i].actions);
        session_refresh(session);
        const char *problem = session_problem(session);
        if (!bad[i].wanted) {
            assert_null(problem);
        } else {
            if (!problem || !strstr(problem, bad[i].wanted))
                fail_msg("%s: %s", bad[i].actions, problem ? problem : "no problem");
            assert_int_equal(helper_session_pass(session)->count, 1);
            assert_int_equal(helper_session_pass(session)->examples[0].source_count, 4);
        }
        helper_apply(session, "companion off; input abcd; target");
        session_refresh(session);
        assert_null(session_problem(session));
        assert_int_equal(helper_session_pass(session)->examples[0].source_count, 5);
        session_free(session);
    }
}

/* The relative forms go on from what was asked for, if that cannot be run. */
static void test_relative_forms_with_a_problem(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    helper_apply(session, "input abc");
    session_refresh(session);
    helper_apply(session, "companion %; enc_len next; step next; dec_len 3; dec_len previous");
    session_refresh(session);
    assert_non_null(session_problem(session));
    assert_int_equal(session_state(session)->examples[1].enc_len, 5); /* from the first's 4 */
    assert_int_equal(session_state(session)->examples[1].dec_len, 2);
    session_free(session);
    session = helper_session((HelperModel){0});
    helper_apply(session, "input %; enc_len next; dec_len next; step next"); /* no pass at all */
    helper_recipe_is(session, "input %" LOOKS);
    session_free(session);
}

/* An old name of a mistake is read from the recipes of older pictures, and written as the new one.
 */
static void test_old_names(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    Error error = {0};
    helper_apply(session, "trap no-cross-padding");
    helper_recipe_is(session, "input a; trap lens-ignored" LOOKS);
    helper_apply(session, "trap off");
    if (!session_restore(session, "input a; trap no-cross-padding" LOOKS, &error))
        fail_msg("%s", error.text);
    helper_recipe_is(session, "input a; trap lens-ignored" LOOKS);
    helper_apply(session, "trap off");
    if (!session_restore_picture(session, "input a; trap no-cross-padding" LOOKS, &error))
        fail_msg("%s", error.text);
    helper_recipe_is(session, "input a; trap lens-ignored" LOOKS);
    session_free(session);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_state_that_follows),
        cmocka_unit_test(test_bad_arguments),
        cmocka_unit_test(test_input_changes_the_pass),
        cmocka_unit_test(test_target_and_step_change_the_pass),
        cmocka_unit_test(test_problems),
        cmocka_unit_test(test_old_names),
        cmocka_unit_test(test_relative_forms_with_a_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
