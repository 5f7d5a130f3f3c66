/* The verbs that change what is looked at and how it looks; none of them runs the model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/session/helper_session.h"

#define FIRST "input a; select cross.1.0; against cross.1.1"

static void test_state_that_follows(void **state) {
    (void)state;
    static const HelperStep steps[] = {
        {"page compare", FIRST "; page compare"},
        {"page next", FIRST "; page compare"},
        {"page previous", FIRST "; page lessons"},
        {"page train", FIRST "; page train"},
        {"page train; page explore", FIRST},
        {"focus", FIRST "; focus on"},
        {"focus on; focus off", FIRST},
        {"focus toggle; focus", FIRST},
        {"lines", FIRST "; lines on"},
        {"lines on; lines toggle", FIRST},
        {"threshold 0.25", FIRST "; threshold 0.25"},
        {"threshold 0", FIRST "; threshold 0"},
        {"threshold 1", FIRST "; threshold 1"},
        {"threshold 0.05", FIRST},
        {"zoom 4", FIRST "; zoom 4 0 0"},
        {"zoom 4 0.5", FIRST "; zoom 4 0.5 0"},
        {"zoom 4 0.5 0.25", FIRST "; zoom 4 0.5 0.25"},
        {"zoom 2 0.75 -1", FIRST "; zoom 2 0.5 0"}, /* no further than the map goes */
        {"zoom 4 0.5 0.25; zoom 1", FIRST},
        {"zoom 64", FIRST "; zoom 64 0 0"},
        {"zoom 64; zoom in", FIRST "; zoom 64 0 0"},
        {"zoom out", FIRST},
        {"zoom in; zoom out", FIRST},
        {"pin source 3", FIRST "; pin source 3"},
        {"pin target 16", FIRST "; pin target 16"},
        {"pin source 3; pin target 4; pin source off", FIRST "; pin target 4"},
        {"pin source 3; pin target 4; pin off", FIRST},
        {"cell 3 2", FIRST "; cell 3 2"},
        {"cell 16 0; cell 0 16", FIRST "; cell 0 16"},
        {"cell 3 2; cell off", FIRST},
        {"cell 3 2; select cross.0.1", /* the same cell of another head of the site */
         "input a; select cross.0.1; against cross.1.1; cell 3 2"},
        {"cell 3 2; select encoder.0.0", "input a; select encoder.0.0; against encoder.0.1"},
        {"theme dark", FIRST "; theme dark"},
        {"theme", FIRST "; theme dark"},
        {"theme next; theme next", FIRST},
        {"theme previous", FIRST "; theme dark"},
        {"colormap cividis", FIRST "; colormap cividis"},
        {"colormap", FIRST "; colormap cividis"},
        {"colormap grey; colormap next", FIRST},
        {"colormap previous", FIRST "; colormap grey"},
        {"scale", FIRST "; scale largest"},
        {"scale largest; scale largest", FIRST "; scale largest"},
        {"scale; scale", FIRST},
        {"scale largest; scale one", FIRST},
        {"text_scale 2", FIRST "; text_scale 2"},
        {"text_scale 1.5; text_scale 1", FIRST},
        {"text_scale 4; text_scale larger", FIRST "; text_scale 4"},
        {"text_scale 0.5; text_scale smaller", FIRST "; text_scale 0.5"},
        {"text_scale larger; text_scale smaller", FIRST},
        {"present", FIRST "; present on"},
        {"present on; present off", FIRST},
        {"help", FIRST "; help on"},
        {"help toggle; help toggle", FIRST},
        {"hover cross.0.1 2 3", FIRST "; hover cross.0.1 2 3"},
        {"hover cross.0.1 2 -", FIRST "; hover cross.0.1 2 -"},
        {"hover cross.0.1 - 16", FIRST "; hover cross.0.1 - 16"},
        {"hover cross.0.1 2 3; hover off", FIRST},
        {"hover cross.0.1 2 3 companion", FIRST "; hover cross.0.1 2 3"}, /* there is none */
        {"undo", FIRST},
        {"redo", FIRST},
        {"", FIRST},
        {" ;; ", FIRST},
    };
    helper_steps(steps, sizeof steps / sizeof steps[0]);
}

static void test_bad_arguments(void **state) {
    (void)state;
    static const HelperStep refused[] = {
        {"page", "page"},
        {"page 2", "page"},
        {"focus large", "focus"},
        {"lines 3", "lines"},
        {"threshold", "threshold"},
        {"threshold 1.01", "threshold"},
        {"threshold -0.1", "threshold"},
        {"threshold nan", "threshold"},
        {"threshold 0.5x", "threshold"},
        {"zoom", "zoom"},
        {"zoom banana", "zoom"},
        {"zoom 0.5", "zoom"},
        {"zoom 65", "zoom"},
        {"zoom inf", "zoom"},
        {"zoom 2 left", "zoom"},
        {"zoom 2 0 2", "zoom"},
        {"zoom 2 0 0 0", "zoom"},
        {"zoom in 2", "zoom"},
        {"pin", "pin"},
        {"pin source", "pin"},
        {"pin source 17", "pin"},
        {"pin target -1", "pin"},
        {"pin middle 3", "pin"},
        {"pin source 3 4", "pin"},
        {"cell", "QUERY KEY"},
        {"cell 3", "QUERY KEY"},
        {"cell 17 0", "cell"},
        {"cell 0 17", "cell"},
        {"cell 0 -1", "cell"},
        {"cell 1 2 3", "cell"},
        {"hover", "hover"},
        {"hover cross.0.1", "hover"},
        {"hover cross.0.1 1", "hover"},
        {"hover cross.9.1 1 1", "hover"},
        {"hover cross.0.1 17 1", "hover"},
        {"hover cross.0.1 1 x", "hover"},
        {"hover cross.0.1 1 1 left", "hover"},
        {"hover on", "hover"},
        {"theme blue", "theme"},
        {"theme \"\"", "theme"},
        {"colormap jet", "colormap"},
        {"scale 2", "scale"},
        {"scale \"\"", "scale"},
        {"text_scale", "text_scale"},
        {"text_scale 0.4", "text_scale"},
        {"text_scale 5", "text_scale"},
        {"text_scale huge", "text_scale"},
        {"present always", "present"},
        {"help me", "help"},
        {"undo 3", "undo"},
        {"redo all", "redo"},
        {"fly", "fly"},
        {"Input a", "Input"},
        {"abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyz"},
    };
    helper_refusals(refused, sizeof refused / sizeof refused[0]);
}

/* The middle of what is seen stays the middle. */
static void test_zoom_keeps_the_middle(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    helper_apply(session, "zoom 4 0.5 0.25");
    for (int i = 0; i < 3; i++) {
        helper_apply(session, "zoom in");
        const State *now = session_state(session);
        assert_float_equal(now->left + 0.5F / now->zoom, 0.625F, 1e-6F); /* float sums of 0..1 */
        assert_float_equal(now->top + 0.5F / now->zoom, 0.375F, 1e-6F);
    }
    assert_float_equal(session_state(session)->zoom, 4 * 1.25F * 1.25F * 1.25F, 1e-5F);
    session_free(session);
}

static void test_hover_over_the_companion(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    helper_apply(session, "companion bc; hover decoder.0.0 1 1 companion");
    assert_int_equal(session_state(session)->hover_example, 1);
    helper_apply(session, "companion off");
    assert_false(session_state(session)->has_hover);
    session_free(session);
}

/* The version of the pass would rise. */
static void test_looks_run_no_model(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    const Trace *trace = helper_session_pass(session)->world.examples[0].trace;
    helper_apply(session, "page compare; focus; lines; threshold 0.5; zoom 3; pin source 1; theme; "
                          "colormap; text_scale 2; present; help; select encoder.0.0; swap; "
                          "difference; hover encoder.0.0 0 0");
    assert_ptr_equal(helper_session_pass(session)->world.examples[0].trace, trace);
    session_free(session);
}

/* --- the list of actions ---------------------------------------------------------------------- */

static void test_every_verb_has_help(void **state) {
    (void)state;
    int count = 0;
    for (const ActionHelp *help; (help = session_action_help(count)); count++) {
        assert_true(help->verb[0] && strlen(help->verb) < 24);
        assert_non_null(help->arguments);
        assert_true(help->help && help->help[0]);
        for (int other = 0; other < count; other++)
            assert_string_not_equal(session_action_help(other)->verb, help->verb);
    }
    assert_true(count >= 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_state_that_follows),
        cmocka_unit_test(test_bad_arguments),
        cmocka_unit_test(test_zoom_keeps_the_middle),
        cmocka_unit_test(test_hover_over_the_companion),
        cmocka_unit_test(test_looks_run_no_model),
        cmocka_unit_test(test_every_verb_has_help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
