/* Actions as text: what is read, what is refused, and that any text comes back from its quotes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/session/verbs.h"
#include "model/base/rng.h"
#include "tests/session/helper_session.h"

/* The next action of *text is this one; a NULL argument: none is given. */
static void assert_next(const char **text, const char *verb, const char *argument) {
    ActionText action;
    Error error = {0};
    if (!action_next(text, &action, &error)) fail_msg("%s", error.text);
    assert_string_equal(action.verb, verb);
    assert_string_equal(action.argument, argument ? argument : "");
    assert_int_equal(action.has_argument, argument != NULL);
    action_free(&action);
}

static void assert_one(const char *text, const char *verb, const char *argument) {
    assert_next(&text, verb, argument);
    assert_next(&text, "", NULL);
}

static void test_one_action(void **state) {
    (void)state;
    assert_one("swap", "swap", NULL);
    assert_one("  input  3 May 2021 \n", "input", "3 May 2021");
    assert_one("input\tx", "input", "x");
    assert_one("input 6\" nails", "input", "6\" nails");
    assert_one("input \"\"", "input", "");
    assert_one("input \" a;b \"", "input", " a;b ");
    assert_one("input \"say \"\"a\"\"\"", "input", "say \"a\"");
    assert_one("input \"\"\"\"", "input", "\"");
    assert_one("input \"a\nb\" ; ", "input", "a\nb");
    assert_one("input ä→\xff", "input", "ä→\xff");
    assert_one("abcdefghijklmnopqrstuvw", "abcdefghijklmnopqrstuvw", NULL); /* 23 letters */
}

static void test_several_actions(void **state) {
    (void)state;
    const char *text = ";; input 3 May 2021; step 4;;ablate cross.1.2;input \"a;b\" ; swap ;";
    assert_next(&text, "input", "3 May 2021");
    assert_next(&text, "step", "4");
    assert_next(&text, "ablate", "cross.1.2");
    assert_next(&text, "input", "a;b");
    assert_next(&text, "swap", NULL);
    assert_next(&text, "", NULL);
    assert_next(&text, "", NULL); /* and so it stays */
    assert_one("", "", NULL);
    assert_one(" ; \t;\n", "", NULL);
}

static void assert_refused(const char *text, const char *named) {
    ActionText action;
    Error error = {0};
    assert_false(action_next(&text, &action, &error));
    action_free(&action);
    assert_int_equal(error.kind, ERROR_USAGE);
    if (!strstr(error.text, named)) fail_msg("not named: %s: %s", named, error.text);
}

static void test_bad_actions(void **state) {
    (void)state;
    assert_refused("input \"a", "input");
    assert_refused("input \"a\"\"", "input");
    assert_refused("input \"", "input");
    assert_refused("input \"a\" b", "input");
    assert_refused("input \"a\"b; step 4", "input");
    assert_refused("abcdefghijklmnopqrstuvwx 3", "abcdefghijklmnopqrstuvwx"); /* 24 letters */
    char endless[300] = {0};
    memset(endless, 'x', sizeof endless - 1);
    assert_refused(endless, "is no action");
    action_free(&(ActionText){0});
}

static void assert_quoted(const char *argument, const char *quoted) {
    char *now = action_quote(argument);
    assert_non_null(now);
    assert_string_equal(now, quoted);
    free(now);
}

static void test_quotes_only_where_needed(void **state) {
    (void)state;
    assert_quoted("3 May 2021", "3 May 2021");
    assert_quoted("6\" nails", "6\" nails");
    assert_quoted("a\nb", "a\nb");
    assert_quoted("", "\"\"");
    assert_quoted(" a", "\" a\"");
    assert_quoted("a\n", "\"a\n\"");
    assert_quoted("a;b", "\"a;b\"");
    assert_quoted("\"a\"", "\"\"\"a\"\"\"");
}

/* A text of up to 12 pieces that have a meaning in actions, or none. */
static void fill_text(char text[64], Rng *rng) {
    static const char *const pieces[] = {"\"", ";",  " ", "a",     "\t",       "\n",   "\r",
                                         "ä",  "→",  "b", "\"\"",  "\x01\x7f", "\xff", "\xc3",
                                         "; ", "on", ".", "input", "\v",       "\f"};
    enum { PIECES = sizeof pieces / sizeof pieces[0] };
    int count = (int)rng_below(rng, 12);
    text[0] = '\0';
    for (int i = 0; i < count; i++)
        strcat(text, pieces[rng_below(rng, PIECES)]);
}

/* Among other actions, whatever stands in it. */
static void test_any_text_comes_back(void **state) {
    (void)state;
    Rng rng = rng_make(3, 0);
    for (int trial = 0; trial < 20000; trial++) {
        char text[64], actions[256];
        fill_text(text, &rng);
        char *quoted = action_quote(text);
        assert_non_null(quoted);
        snprintf(actions, sizeof actions, "input %s; step 4", quoted);
        const char *at = actions;
        assert_next(&at, "input", text);
        assert_next(&at, "step", "4");
        assert_next(&at, "", NULL);
        free(quoted);
    }
}

/* --- values ----------------------------------------------------------------------------------- */

/* Text that is read, checked and printed is that text again. */
static void test_values_print_as_they_are_read(void **state) {
    (void)state;
    static const char *const texts[] = {"input \"a;b\"",
                                        "prefix",
                                        "target ab",
                                        "companion on",
                                        "companion ab",
                                        "enc_len 3",
                                        "dec_len auto",
                                        "causal off",
                                        "trap no-scale",
                                        "step 2",
                                        "step all",
                                        "select cross.1.0",
                                        "head next",
                                        "layer 1",
                                        "site decoder",
                                        "ablate",
                                        "ablate layer mean",
                                        "ablate cross.1.0",
                                        "ablate cross.1 zero",
                                        "restore all",
                                        "restore encoder.0",
                                        "plain",
                                        "compare",
                                        "compare cross.0.0 cross.1.0",
                                        "against input a b",
                                        "against model b.safetensors",
                                        "against heads",
                                        "against cross.0.1",
                                        "page lessons",
                                        "focus toggle",
                                        "threshold 0.25",
                                        "zoom in",
                                        "zoom 2 0.5 0.25",
                                        "pin source 3",
                                        "pin target off",
                                        "pin off",
                                        "cell 3 2",
                                        "hover cross.0.1 - 2",
                                        "hover cross.0.1 1 2 companion",
                                        "hover cross.0.0 cross.0.1",
                                        "hover off",
                                        "theme dark",
                                        "colormap magma",
                                        "scale largest",
                                        "text_scale 1.1",
                                        "undo",
                                        "lesson shapes --heads 4",
                                        "lesson next",
                                        "scroll 1000000",
                                        "save a b.png 2",
                                        "quit"};
    Session *session = helper_session((HelperModel){0});
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const char *at = texts[i];
        char printed[120] = "";
        ActionText said;
        Action action;
        Error error = {0};
        FILE *stream = fmemopen(printed, sizeof printed, "w");
        assert_non_null(stream);
        assert_true(action_next(&at, &said, &error));
        if (!verb_read(session, verb_find(said.verb), &said, &action, &error) ||
            !verb_check(session, &action, &error))
            fail_msg("%s: %s", texts[i], error.text);
        assert_true(verb_print(stream, &action));
        fclose(stream);
        assert_string_equal(printed, texts[i]);
        action_free(&said);
    }
    session_free(session);
}

static void test_values_out_of_bounds_are_refused(void **state) {
    (void)state;
    const struct {
        Action action;
        const char *wanted;
    } refused[] = {
        {action_number(VERB_STEP, 99), "step 99: it takes a whole number from 1 to "},
        {action_number(VERB_THRESHOLD, 1.5), "threshold 1.5: it takes a number from 0 to 1"},
        {action_number(VERB_SNAPSHOT, 0), "snapshot: the model has none"},
        {action_head(VERB_SELECT, (HeadId){SITE_CROSS, 9, 0}), "the model has no cross.9.0"},
        {action_word(VERB_STEP, WORD_MEAN), "step: no form of it is like this"}};
    Session *session = helper_session((HelperModel){0});
    char *before = session_recipe(session);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        Error error = {0};
        assert_false(session_apply_one(session, refused[i].action, &error));
        if (!strstr(error.text, refused[i].wanted)) fail_msg("%s", error.text);
    }
    helper_recipe_is(session, before);
    free(before);
    session_free(session);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_action),
        cmocka_unit_test(test_several_actions),
        cmocka_unit_test(test_bad_actions),
        cmocka_unit_test(test_quotes_only_where_needed),
        cmocka_unit_test(test_any_text_comes_back),
        cmocka_unit_test(test_values_print_as_they_are_read),
        cmocka_unit_test(test_values_out_of_bounds_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
