/* Steps of undo, drags, restoring a recipe, and what the host is asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/session/verbs.h"
#include "tests/session/helper_session.h"

#define LOOKS "; select cross.1.0; against cross.1.1"

static void drag(Session *session, const char *actions) {
    Error error = {0};
    if (!helper_drag(session, actions, &error)) fail_msg("%s: %s", actions, error.text);
}

/* Undo leads to each of these recipes in turn, and then no further. */
static void assert_undone(Session *session, const char *const *recipes, int count) {
    for (int i = 0; i < count; i++) {
        helper_apply(session, "undo");
        helper_recipe_is(session, recipes[i]);
    }
    helper_apply(session, "undo");
    helper_recipe_is(session, recipes[count - 1]);
}

static void test_undo_and_redo(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    helper_apply(session, "undo");
    helper_apply(session, "redo");
    helper_apply(session, "input abc");
    helper_apply(session, "ablate; step 2"); /* one step */
    helper_apply(session, "input \"x;y\"");
    static const char *const back[] = {"input abc; ablate cross.1.0; step 2" LOOKS,
                                       "input abc" LOOKS, "input a" LOOKS};
    assert_undone(session, back, 3);
    helper_apply(session, "redo");
    helper_recipe_is(session, back[1]);
    helper_apply(session, "redo");
    helper_apply(session, "redo");
    helper_recipe_is(session, "input \"x;y\"; ablate cross.1.0; step 2" LOOKS);
    helper_apply(session, "redo");
    helper_recipe_is(session, "input \"x;y\"; ablate cross.1.0; step 2" LOOKS);
    assert_undone(session, back, 3);
    helper_apply(session, "lines"); /* another way: what was undone is gone */
    helper_apply(session, "redo");
    helper_recipe_is(session, "input a" LOOKS "; lines on");
    session_free(session);
}

static void test_what_changes_nothing_is_no_step(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    helper_apply(session, "input abc");
    helper_apply(session, "input abcd");
    helper_apply(session, "undo");
    helper_apply(session, "input abc");
    helper_apply(session, "lines; lines");
    helper_apply(session, "hover cross.0.0 1 1");
    helper_apply(session, "hover off");
    helper_apply(session, "");
    helper_apply(session, "redo"); /* is still there */
    static const char *const back[] = {"input abc" LOOKS, "input a" LOOKS};
    helper_recipe_is(session, "input abcd" LOOKS);
    assert_undone(session, back, 2);
    session_free(session);
}

/* Hover alone is no step; beside others it is no part of one, and stays over undo and redo. */
static void test_hover_is_no_step(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    helper_apply(session, "input abc; hover cross.0.0 1 2");
    helper_apply(session, "hover cross.0.1 - 2");
    helper_apply(session, "undo");
    helper_recipe_is(session, "input a" LOOKS "; hover cross.0.1 - 2");
    helper_apply(session, "redo");
    helper_recipe_is(session, "input abc" LOOKS "; hover cross.0.1 - 2");
    helper_apply(session, "hover cross.0.1 cross.0.0");
    helper_apply(session, "undo");
    helper_recipe_is(session, "input a" LOOKS "; hover cross.0.1 cross.0.0");
    helper_apply(session, "redo");
    helper_apply(session, "companion on; hover cross.0.1 0 0 companion");
    helper_apply(session, "undo"); /* what it was over is gone */
    helper_recipe_is(session, "input abc" LOOKS);
    session_free(session);
}

static void test_drags_are_one_step(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    helper_apply(session, "input abc");
    drag(session, "enc_len 3");
    drag(session, "enc_len 2");
    drag(session, "hover off"); /* the pointer moves with it */
    drag(session, "enc_len 1");
    drag(session, "dec_len 2");
    drag(session, "dec_len 3; lines");
    helper_apply(session, "dec_len 4");
    drag(session, "dec_len 5");
    drag(session, "dec_len 6");
    static const char *const back[] = {"input abc; enc_len 1; dec_len 4" LOOKS "; lines on",
                                       "input abc; enc_len 1; dec_len 3" LOOKS "; lines on",
                                       "input abc; enc_len 1" LOOKS, "input abc" LOOKS,
                                       "input a" LOOKS};
    assert_undone(session, back, 5);
    helper_apply(session, "redo");
    drag(session, "enc_len 2"); /* joins nothing across an undo */
    static const char *const again[] = {"input abc" LOOKS, "input a" LOOKS};
    assert_undone(session, again, 2);
    session_free(session);
}

static void test_all_or_nothing(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    helper_apply(session, "input abc");
    helper_apply(session, "lines; hover cross.0.0 1 1");
    helper_apply(session, "undo");
    helper_refuse(session, "input d; companion e; ablate; hover off; step 0", "step");
    helper_refuse(session, "input d; fly", "fly");
    helper_refuse(session, "input d; input \"e", "input");
    helper_refuse(session, "undo; step 0", "undo");
    helper_refuse(session, "input d; undo", "undo");
    helper_refuse(session, "redo; redo", "undo");
    helper_apply(session, "redo"); /* none of them took it away */
    helper_recipe_is(session, "input abc" LOOKS "; lines on; hover cross.0.0 1 1");
    helper_apply(session, "hover off");
    static const char *const back[] = {"input abc" LOOKS, "input a" LOOKS};
    assert_undone(session, back, 2);
    session_free(session);
}

/* What a recipe does not say since it is not seen outlives undo. */
static void test_unseen_things_stay(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    helper_apply(session, "companion bcd");
    helper_apply(session, "companion off");
    helper_apply(session, "lines");
    helper_apply(session, "undo");
    helper_apply(session, "companion on");
    helper_recipe_is(session, "input a; companion on; input bcd" LOOKS);
    helper_apply(session, "companion off; against encoder.0.0");
    helper_apply(session, "against plain");
    helper_apply(session, "lines");
    helper_apply(session, "undo");
    helper_apply(session, "against heads");
    helper_recipe_is(session, "input a; select cross.1.0; against encoder.0.0");
    session_free(session);
}

/* --- recipes ---------------------------------------------------------------------------------- */

static void test_restore(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    Error error = {0};
    static const char recipe[] =
        "input bcd; companion on; input e; causal off; ablate cross.0.0 mean; step 2; select "
        "decoder.0.1; against plain; page compare; hover decoder.0.0 1 -";
    helper_apply(session, "input xyz; lines; pin source 1; dec_len 3");
    assert_true(session_restore(session, recipe, &error));
    helper_recipe_is(session, recipe);
    helper_apply(session, "hover off");
    helper_apply(session, "undo");
    helper_recipe_is(session, "input xyz; dec_len 3" LOOKS "; lines on; pin source 1");
    helper_apply(session, "redo");
    assert_true(session_restore(session, "", &error)); /* the first state */
    helper_recipe_is(session, "input a" LOOKS);
    session_free(session);
}

static bool count_acts(void *context, const Action *action, Error *error) {
    char *said = context;
    const char *verb = verb_at(action->verb)->help.verb;
    const char *argument = action->text ? action->text : "";
    snprintf(said, 64, "%s(%s)", verb, argument);
    return strcmp(argument, "nowhere") != 0 || error_usage(error, "%s: no such place", verb);
}

static void refuse_recipe(Session *session, const char *recipe, const char *named) {
    Error error = {0};
    char *before = session_recipe(session);
    assert_false(session_restore(session, recipe, &error));
    assert_int_equal(error.kind, ERROR_USAGE);
    if (!strstr(error.text, named)) fail_msg("%s: %s", recipe, error.text);
    helper_recipe_is(session, before);
    free(before);
}

/* It may come from a stranger's picture. */
static void test_recipes_do_nothing_else(void **state) {
    (void)state;
    char said[64] = "";
    Session *session = helper_session((HelperModel){0});
    session_set_host(session, (SessionHost){count_acts, said});
    helper_apply(session, "input abc");
    refuse_recipe(session, "input b; save x.png", "save");
    refuse_recipe(session, "quit", "quit");
    refuse_recipe(session, "undo", "undo");
    refuse_recipe(session, "input b; step 0", "step");
    refuse_recipe(session, "input b; fly", "fly");
    refuse_recipe(session, "input \"b", "input");
    assert_string_equal(said, "");
    helper_apply(session, "undo");
    helper_recipe_is(session, "input a" LOOKS);
    session_free(session);
}

/* --- the host --------------------------------------------------------------------------------- */

static void test_the_host_is_asked(void **state) {
    (void)state;
    static const HelperStep asked[] = {{"save", "save()"},
                                       {"save a b.png 2", "save(a b.png 2)"},
                                       {"save \"a;b\"", "save(a;b)"},
                                       {"sheet x.svg", "sheet(x.svg)"},
                                       {"copy", "copy()"},
                                       {"play", "play()"},
                                       {"play on", "play(on)"},
                                       {"train dates", "train(dates)"},
                                       {"open x.png", "open(x.png)"},
                                       {"fullscreen", "fullscreen()"},
                                       {"quit", "quit()"}};
    char said[64] = "";
    Session *session = helper_session((HelperModel){0});
    helper_refuse(session, "save x.png", "save"); /* without one */
    session_set_host(session, (SessionHost){count_acts, said});
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        helper_apply(session, asked[i].actions);
        assert_string_equal(said, asked[i].wanted);
    }
    helper_refuse(session, "input b; save nowhere; input c", "save");
    said[0] = '\0';
    helper_refuse(session, "save x.png; fly", "fly"); /* seen before anything is done */
    assert_string_equal(said, "");
    helper_apply(session, "undo"); /* none was a step */
    helper_recipe_is(session, "input a" LOOKS);
    helper_apply(session, "input b; save x.png; input c");
    helper_apply(session, "undo");
    helper_recipe_is(session, "input a" LOOKS);
    session_free(session);
}

/* --- versions --------------------------------------------------------------------------------- */

static void test_version_rises(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    static const char *const actions[] = {"input abc", "hover cross.0.0 0 0", "lines", "undo",
                                          "redo"};
    session_refresh(session);
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        unsigned long before = session_version(session);
        helper_apply(session, actions[i]);
        assert_true(session_version(session) > before);
    }
    session_refresh(session);
    unsigned long before = session_version(session);
    session_refresh(session); /* nothing to do */
    assert_true(session_version(session) == before);
    session_free(session);
}

/* Weights from a training take the model's place; the maps follow. */
static void test_weights_can_be_taken_in(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    Model other = helper_model((HelperModel){.seed = 1});
    helper_apply(session, "input abc; target xyz");
    HeadId id = {SITE_CROSS, 1, 0};
    float before =
        trace_cell(helper_session_pass(session)->world.examples[0].trace, id, 1, 1, NULL);
    session_take_params(session, other.params.block);
    float after = trace_cell(helper_session_pass(session)->world.examples[0].trace, id, 1, 1, NULL);
    assert_true(before != after);
    Session *wanted = session_make(&other, "", NULL);
    helper_apply(wanted, "input abc; target xyz");
    assert_true(after ==
                trace_cell(helper_session_pass(wanted)->world.examples[0].trace, id, 1, 1, NULL));
    session_free(wanted);
    session_free(session);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_undo_and_redo),
        cmocka_unit_test(test_what_changes_nothing_is_no_step),
        cmocka_unit_test(test_hover_is_no_step),
        cmocka_unit_test(test_drags_are_one_step),
        cmocka_unit_test(test_all_or_nothing),
        cmocka_unit_test(test_unseen_things_stay),
        cmocka_unit_test(test_restore),
        cmocka_unit_test(test_recipes_do_nothing_else),
        cmocka_unit_test(test_the_host_is_asked),
        cmocka_unit_test(test_version_rises),
        cmocka_unit_test(test_weights_can_be_taken_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
