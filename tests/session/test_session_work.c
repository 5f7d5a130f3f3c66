/* The model runs on another thread while the session goes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tests/session/helper_pass.h"
#include "tests/session/helper_screen.h"

static void *run(void *work) {
    session_work_run(work);
    return NULL;
}

static void look(Session *session) {
    Error error = {0};
    const Screen *screen = screen_build(session, &(ScreenExtra){.editing = -1}, &error);
    if (!screen) fail_msg("%s", error.text);
    helper_check_screen(screen);
}

/* The pass of a session that did the same without a thread. */
static void assert_as_without(Session *session) {
    Session *other = helper_session((HelperModel){.task = "copy"});
    char *recipe = session_recipe(session);
    assert_true(session_restore(other, recipe, NULL));
    assert_true(helper_traces_gap(helper_session_pass(session)->world.examples[0].trace,
                                  helper_session_pass(other)->world.examples[0].trace) == 0);
    free(recipe);
    session_free(other);
}

static void test_session_goes_on(void **state) {
    (void)state;
    static const char *const typed[] = {"input ab",
                                        "ablate cross.1.0 mean",
                                        "input abc; page compare; against input b",
                                        "companion xyz",
                                        "enc_len 2; against plain; difference",
                                        "companion off; input %"};
    enum { TYPED = sizeof typed / sizeof typed[0] };
    Session *session = helper_session((HelperModel){.task = "copy"});
    session_refresh(session);
    for (int i = 0; i < TYPED; i++) {
        pthread_t thread;
        helper_apply(session, typed[i]);
        SessionWork *work = session_work_begin(session);
        assert_non_null(work);
        assert_null(session_work_begin(session)); /* one at a time */
        assert_int_equal(pthread_create(&thread, NULL, run, work), 0);
        look(session); /* what was there before */
        helper_apply(session, typed[(i + 1) % TYPED]);
        look(session);
        helper_apply(session, "undo");
        assert_int_equal(pthread_join(thread, NULL), 0);
        unsigned long version = session_version(session);
        session_work_end(session, work);
        assert_true(session_version(session) > version);
        look(session);
        if (i < TYPED - 1) assert_as_without(session);
    }
    assert_non_null(session_problem(session));
    assert_null(session_work_begin(session)); /* nothing has changed since */
    session_free(session);
}

/* What changed meanwhile is run next. */
static void test_later_actions_are_run_later(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){.task = "copy"});
    helper_apply(session, "input ab; target x");
    SessionWork *work = session_work_begin(session);
    helper_apply(session, "input abc");
    session_work_run(work);
    session_work_end(session, work);
    work = session_work_begin(session);
    assert_non_null(work);
    session_work_run(work);
    session_work_end(session, work);
    assert_int_equal(helper_session_pass(session)->examples[0].source_count, 4);
    assert_true(session_pass_ms(session) >= 0);
    assert_null(session_work_begin(session));
    session_free(session);
}

/* What is typed meanwhile is no change of a mask, and has no output yet. */
static void test_a_text_that_waits(void **state) {
    (void)state;
    Error error = {0};
    Session *session = helper_session((HelperModel){.task = "copy"});
    helper_apply(session, "input ab; target wxyz");
    session_refresh(session);
    helper_apply(session, "input abc");
    SessionWork *work = session_work_begin(session);
    const Screen *screen = screen_build(session, &(ScreenExtra){.editing = -1}, &error);
    assert_non_null(screen);
    assert_false(screen->sequences[0].len_changed);
    assert_non_null(strstr(screen->status, "still those before"));
    session_work_run(work);
    session_work_end(session, work);
    screen = screen_build(session, &(ScreenExtra){.editing = -1}, &error);
    assert_non_null(screen);
    assert_string_equal(screen->status, "abc → wxyz");
    session_free(session);
}

/* Each press counts, however long the model takes. */
static void test_steps_while_it_runs(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){.task = "copy"});
    helper_apply(session, "input ab; target wxyz; step 1");
    session_refresh(session);
    helper_apply(session, "step next");
    SessionWork *work = session_work_begin(session);
    helper_apply(session, "step next");
    helper_apply(session, "step next");
    assert_int_equal(session_state(session)->step, 4);
    session_work_run(work);
    session_work_end(session, work);
    helper_apply(session, "step next");
    assert_int_equal(session_state(session)->step, 0); /* all of wxyz and the end mark */
    session_free(session);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_session_goes_on), cmocka_unit_test(test_later_actions_are_run_later),
        cmocka_unit_test(test_a_text_that_waits), cmocka_unit_test(test_steps_while_it_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
