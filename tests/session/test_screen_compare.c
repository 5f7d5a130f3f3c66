/* The page that compares: titles, refusals, differences, and heads that are the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/session/helper_screen.h"
#include "tests/session/helper_session.h"

static const ScreenCompare *compare_after(Session *session, const char *actions) {
    Error error = {0};
    helper_apply(session, actions);
    const Screen *screen = screen_build(session, &(ScreenExtra){.editing = -1}, &error);
    if (!screen) fail_msg("%s", error.text);
    helper_check_screen(screen);
    assert_int_equal(screen->page, PAGE_COMPARE);
    return &screen->compare;
}

static void assert_holds(const char *text, const char *part) {
    assert_non_null(text);
    if (!strstr(text, part)) fail_msg("\"%s\" does not hold \"%s\"", text, part);
}

static Session *comparing(void) {
    Session *session = helper_session((HelperModel){0});
    helper_apply(session, "input abcd; target xyz; page compare");
    return session;
}

/* --- what is compared ------------------------------------------------------------------------- */

static void test_two_heads(void **state) {
    (void)state;
    Session *session = comparing();
    const ScreenCompare *compare = compare_after(session, "ablate cross.1.1");
    assert_string_equal(compare->a.title, "A  cross.1.0");
    assert_string_equal(compare->b.title, "B  cross.1.1");
    assert_true(compare->modes[COMPARE_HEADS].on);
    assert_true(compare->a.first && compare->b.second);
    assert_true(!compare->a.struck && compare->b.struck);
    assert_ptr_equal(compare->difference.minus, compare->b.trace);
    assert_int_equal(compare->difference.minus_id.head, 1);
    assert_null(compare->refusal);
    assert_holds(compare->figures, "largest |A−B| 0.");
    assert_int_equal(compare->divergence_count, 4);
    assert_string_equal(compare->row_names[1], "x→y");
    compare = compare_after(session, "swap");
    assert_string_equal(compare->a.title, "A  cross.1.1");
    assert_true(compare->a.struck && !compare->b.struck);
    session_free(session);
}

static void test_maps_of_other_sizes_are_refused(void **state) {
    (void)state;
    Session *session = comparing();
    const ScreenCompare *compare = compare_after(session, "against encoder.0.0");
    assert_holds(compare->refusal, "different sites");
    assert_null(compare->difference.trace);
    compare = compare_after(session, "select encoder.0.1; against input abcdef");
    assert_holds(compare->refusal, "A is 5 x 5 and B is 7 x 7");
    assert_null(compare->difference.trace);
    assert_non_null(compare->b.trace); /* both maps are still shown */
    assert_null(compare->figures);
    compare = compare_after(session, "against input ab");
    assert_holds(compare->refusal, "different sizes");
    assert_int_equal(compare->b.columns, 3);
    session_free(session);
}

static void test_with_and_without(void **state) {
    (void)state;
    Session *session = comparing();
    const ScreenCompare *compare = compare_after(session, "against plain");
    assert_holds(compare->refusal, "Nothing is changed");
    assert_null(compare->b.trace);
    assert_holds(compare->b.title, "as trained");
    compare = compare_after(session, "ablate; ablate encoder.0.1");
    assert_null(compare->refusal);
    assert_ptr_equal(compare->b.trace, helper_session_pass(session)->plain.examples[0].trace);
    assert_true(compare->a.struck && !compare->b.struck);
    compare = compare_after(session, "plain; enc_len 7");
    assert_null(compare->refusal); /* both passes have the same padding */
    assert_int_equal(compare->b.columns, 7);
    session_free(session);
}

static void test_two_inputs(void **state) {
    (void)state;
    Session *session = comparing();
    const ScreenCompare *compare = compare_after(session, "against input");
    assert_holds(compare->refusal, "Type the other input");
    compare = compare_after(session, "prefix; target; against input dcba");
    assert_holds(compare->caption, "B reads \"dcba\"");
    assert_holds(compare->b.title, "other input");
    assert_string_equal(compare->b.axes->columns[0], "d");
    compare = compare_after(session, "against \"input a\nb\"");
    assert_holds(compare->caption, "B reads \"aU+000Ab\"");
    assert_holds(compare->refusal, "U+000A");
    assert_null(compare->b.trace);
    session_free(session);
}

/* The other input replaces that of the edited example, whichever was edited when the model ran. */
static void test_two_inputs_of_a_companion(void **state) {
    (void)state;
    Session *session = comparing();
    const ScreenCompare *compare = compare_after(session, "companion efgh; against input dcba");
    assert_string_equal(compare->a.axes->columns[0], "e");
    assert_string_equal(compare->b.axes->columns[0], "d");
    compare = compare_after(session, "example 0");
    assert_string_equal(compare->a.axes->columns[0], "a");
    assert_string_equal(compare->b.axes->columns[0], "d");
    session_free(session);
}

/* Maps of an earlier state are compared as such. */
static void test_unreadable_state(void **state) {
    (void)state;
    Session *session = comparing();
    compare_after(session, "companion efgh; against input dcba; difference on");
    helper_apply(session, "companion off; input %");
    Error error = {0};
    const Screen *screen = screen_build(session, &(ScreenExtra){.editing = -1}, &error);
    assert_non_null(screen);
    helper_check_screen(screen);
    assert_non_null(session_problem(session));
    assert_int_equal(screen->panels.count, 4);
    for (int i = 0; i < 4; i++)
        assert_non_null(screen->panels.maps[i].minus);
    compare_after(session, "against input ab");
    assert_non_null(screen_build(session, &(ScreenExtra){.editing = -1}, &error));
    session_free(session);
}

static void test_two_models(void **state) {
    (void)state;
    char path[64], action[96];
    Error error = {0};
    snprintf(path, sizeof path, "/tmp/headscope-compare-%ld.safetensors", (long)getpid());
    Model other = helper_model((HelperModel){.layers = 1, .seed = 5});
    assert_true(model_save(&other, path, &error));
    model_free(&other);
    Session *session = comparing();
    const ScreenCompare *compare = compare_after(session, "against model");
    assert_holds(compare->refusal, "Name the other model");
    compare = compare_after(session, "against model /no/such/file");
    assert_holds(compare->refusal, "/no/such/file");
    snprintf(action, sizeof action, "against model %s", path);
    compare = compare_after(session, action);
    assert_holds(compare->refusal, "no such head"); /* it has one layer */
    compare = compare_after(session, "layer 0");
    assert_null(compare->refusal);
    assert_holds(compare->b.title, "other model");
    assert_int_equal(compare->b.rows, 4); /* the target is the same */
    unlink(path);
    compare = compare_after(session, "input dcba");
    assert_null(compare->refusal); /* it is open already */
    session_free(session);
}

static void test_no_snapshots(void **state) {
    (void)state;
    Session *session = comparing();
    const ScreenCompare *compare = compare_after(session, "");
    assert_null(compare->modes[COMPARE_SNAPSHOTS].action); /* faint */
    assert_non_null(compare->modes[COMPARE_MODELS].action);
    session_free(session);
}

/* --- heads that are the same ------------------------------------------------------------------ */

/* A session on a model in which head 1 of cross.1 has the queries and keys of head 0. */
static Session *with_twins(void) {
    enum { WIDTH = 8, HEAD = 4 };
    Model model = helper_model((HelperModel){0});
    LinearParams in = model.params.decoder[1].cross_attention.in;
    for (int part = 0; part < 2; part++) {
        real *rows = in.weight + (long)part * WIDTH * WIDTH;
        memcpy(rows + HEAD * WIDTH, rows, HEAD * WIDTH * sizeof(real));
        memcpy(in.bias + part * WIDTH + HEAD, in.bias + part * WIDTH, HEAD * sizeof(real));
    }
    Session *session = session_make(&model, "", NULL);
    assert_non_null(session);
    helper_apply(session, "input abcd; target xyz; page compare");
    return session;
}

static void test_identical_heads_are_flagged(void **state) {
    (void)state;
    Session *session = with_twins();
    const ScreenCompare *compare = compare_after(session, "compare cross.1.0 cross.1.1");
    assert_holds(compare->figures, "the same to 1e-6");
    assert_int_equal(compare->similarity.note_count, 1);
    assert_holds(compare->similarity.notes[0], "cross.1.0 and cross.1.1 are the same");
    compare = compare_after(session, "compare cross.1.0 cross.0.1");
    assert_null(strstr(compare->figures, "same"));
    assert_int_equal(compare->similarity.count, 4);
    compare = compare_after(session, "compare cross.1.0 cross.1.0"); /* with itself */
    assert_null(strstr(compare->figures, "same"));
    compare = compare_after(session, "compare encoder.0.0 encoder.0.1");
    assert_null(strstr(compare->figures, "same"));
    assert_holds(compare->similarity.notes[0], "No two heads are the same");
    assert_holds(compare->similarity.notes[0], "not prove");
    session_free(session);
}

/* Without queries, every head spreads its weight evenly: the six pairs of a site are identical. */
static void test_many_identical_heads(void **state) {
    (void)state;
    Model model = helper_model((HelperModel){0});
    for (int layer = 0; layer < 2; layer++) {
        LinearParams in = model.params.decoder[layer].cross_attention.in;
        memset(in.weight, 0, 8 * 8 * sizeof(real));
        memset(in.bias, 0, 8 * sizeof(real));
    }
    Session *session = session_make(&model, "", NULL);
    const ScreenCompare *compare = compare_after(session, "input abcd; page compare");
    assert_int_equal(compare->similarity.note_count, 3);
    assert_holds(compare->similarity.notes[1], "are the same");
    assert_holds(compare->similarity.notes[2], "and 4 more pairs");
    session_free(session);
}

/* If all keys are equal, any two heads look the same, which is not reported as a mistake. */
static void test_equal_keys_are_not_compared(void **state) {
    (void)state;
    Model model = helper_model((HelperModel){0});
    model.config.positions = POSITION_NONE;
    model.config.source_end_mark = false;
    Session *session = session_make(&model, "", NULL);
    const ScreenCompare *compare =
        compare_after(session, "input aaaa; page compare; compare encoder.0.0 encoder.0.1");
    assert_string_equal(compare->figures,
                        "Nothing is compared: no query sees two keys that differ");
    assert_int_equal(compare->similarity.note_count, 1);
    assert_holds(compare->similarity.notes[0], "Nothing is compared");
    session_free(session);
}

/* The first step of the decoder sees only itself: nothing is compared, and no heads are similar. */
static void test_one_row_of_one_key(void **state) {
    (void)state;
    Session *session = comparing();
    const ScreenCompare *compare =
        compare_after(session, "step 1; compare decoder.0.0 decoder.0.1; page compare");
    assert_string_equal(compare->figures,
                        "Nothing is compared: no query sees two keys that differ");
    assert_true(isnan(compare->similarity.values[1]));
    assert_holds(compare->similarity.notes[0], "Nothing is compared");
    session_free(session);
}

static void test_similarity_matrix(void **state) {
    (void)state;
    Session *session = comparing();
    const ScreenCompare *compare = compare_after(session, "compare cross.1.0 cross.0.1");
    const ScreenSimilarity *alike = &compare->similarity;
    assert_int_equal(alike->count, 4);
    assert_int_equal(alike->ids[alike->first].layer, 1);
    assert_int_equal(alike->ids[alike->second].layer, 0);
    assert_int_equal(alike->ids[alike->second].head, 1);
    for (int i = 0; i < 4; i++)
        assert_float_equal(alike->values[i * 4 + i], 1, 1e-5F); /* itself; similarity.h */
    compare = compare_after(session, "against encoder.0.0");
    assert_int_equal(compare->similarity.second, -1); /* of another site */
    session_free(session);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_heads),
        cmocka_unit_test(test_maps_of_other_sizes_are_refused),
        cmocka_unit_test(test_with_and_without),
        cmocka_unit_test(test_two_inputs),
        cmocka_unit_test(test_two_inputs_of_a_companion),
        cmocka_unit_test(test_unreadable_state),
        cmocka_unit_test(test_two_models),
        cmocka_unit_test(test_no_snapshots),
        cmocka_unit_test(test_identical_heads_are_flagged),
        cmocka_unit_test(test_many_identical_heads),
        cmocka_unit_test(test_equal_keys_are_not_compared),
        cmocka_unit_test(test_one_row_of_one_key),
        cmocka_unit_test(test_similarity_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
