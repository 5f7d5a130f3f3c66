/* The state as plain data, and its recipe: any state comes back from its text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/pass/state.h"
#include "app/session/state_text.h"
#include "model/base/rng.h"
#include "tests/session/helper_session.h"

enum { LAYERS = 2, HEADS = 2, LONGEST = 17 };

static Config small_config(void) {
    Model model = helper_model((HelperModel){0});
    Config config = model.config;
    model_free(&model);
    return config;
}

static void test_places_of_heads(void **state) {
    (void)state;
    Config config = small_config();
    config.encoder_layers = 3;
    assert_int_equal(state_heads(&config), (3 + 2 * LAYERS) * HEADS);
    int place = 0;
    for (int site = 0; site < SITE_COUNT; site++)
        for (int layer = 0; layer < state_layers(&config, (Site)site); layer++)
            for (int head = 0; head < HEADS; head++)
                assert_int_equal(state_place(&config, (HeadId){(Site)site, layer, head}), place++);
    assert_int_equal(place, state_heads(&config));
}

static void assert_text(const State *state, const Config *config, const char *wanted) {
    char *text = state_text(state, config, STATE_SHOWN);
    assert_non_null(text);
    assert_string_equal(text, wanted);
    free(text);
}

static void test_first_state(void **state) {
    (void)state;
    Config config = small_config();
    State first, copy;
    assert_true(state_make(&first, &config, "abc"));
    assert_text(&first, &config, "input abc; select cross.1.0; against cross.1.1");
    assert_true(state_copy(&copy, &first, &config));
    assert_true(copy.examples[0].input != first.examples[0].input);
    state_free(&first);
    state_free(&first);
    assert_text(&copy, &config, "input abc; select cross.1.0; against cross.1.1");
    state_free(&copy);
    config.heads = 1;
    assert_true(state_make(&first, &config, "a;b"));
    assert_text(&first, &config, "input \"a;b\"; select cross.1.0; against cross.1.0");
    state_free(&first);
}

/* --- random states ---------------------------------------------------------------------------- */

static int below(Rng *rng, int bound) {
    return (int)rng_below(rng, (uint32_t)bound);
}

static bool coin(Rng *rng) {
    return below(rng, 2) == 1;
}

static float share(Rng *rng) {
    return (float)rng_uniform(rng);
}

static HeadId random_head(Rng *rng) {
    return (HeadId){(Site)below(rng, SITE_COUNT), below(rng, LAYERS), below(rng, HEADS)};
}

/* What a verb could mistake for a word of its own, or for its end. */
static void set_random_text(char **place, Rng *rng) {
    static const char *const texts[] = {
        "abc",       "",          "on",         "off",  " ",     " a",     "a ",
        "a;b",       "\"",        "\"a\"",      "a\nb", "ä→",    "\xff",   "input",
        "input x",   "auto",      "next; undo", "-",    "heads", "plain",  "toggle",
        "cross.1.1", "companion", "a\tb\x01",   ";",    "\t",    "a\"\";b"};
    enum { TEXTS = sizeof texts / sizeof texts[0] };
    assert_true(state_set_text(place, texts[below(rng, TEXTS)]));
}

static void randomize_example(StateExample *example, Rng *rng) {
    set_random_text(&example->input, rng);
    assert_true(state_set_text(&example->target, NULL));
    if (coin(rng)) set_random_text(&example->target, rng);
    example->whole = example->target && coin(rng);
    example->enc_len = coin(rng) ? BY_TEXT : below(rng, LONGEST + 1);
    example->dec_len = coin(rng) ? BY_TEXT : below(rng, LONGEST + 1);
}

static void randomize_look(State *state, Rng *rng) {
    state->page = (ScreenPage)below(rng, PAGE_COUNT);
    static const char *const lessons[] = {"", "provenance", "provenance --width 8; x", "quiz 'a",
                                          "provenance  \"b \xff\""};
    assert_true(state_set_text(&state->lesson, lessons[below(rng, 5)]));
    if (state->page == PAGE_LESSONS) state->lesson_scroll = coin(rng) ? 0 : below(rng, 5000);
    state->head = random_head(rng);
    state->focus_open = coin(rng);
    state->lines = coin(rng);
    state->threshold = coin(rng) ? THRESHOLD_DEFAULT : share(rng);
    state->zoom = coin(rng) ? 1 : 1 + 63 * share(rng);
    state->left = (1 - 1 / state->zoom) * share(rng);
    state->top = coin(rng) ? 1 - 1 / state->zoom : 0;
    state->pinned_source = coin(rng) ? NONE : below(rng, LONGEST);
    state->pinned_target = coin(rng) ? NONE : below(rng, LONGEST);
    state->difference = coin(rng);
    state->theme = (ThemeName)below(rng, THEME_COUNT);
    state->colormap = (ColorMap)below(rng, COLORMAP_COUNT);
    state->scale_largest = coin(rng);
    state->text_scale = coin(rng) ? 1 : 0.5F + 3.5F * share(rng);
    state->presentation = coin(rng);
    state->help = coin(rng);
}

static void randomize(State *state, const Config *config, Rng *rng) {
    state->companion = coin(rng);
    state->example = state->companion && coin(rng);
    for (int i = 0; i < 1 + state->companion; i++)
        randomize_example(&state->examples[i], rng);
    state->not_causal = coin(rng);
    state->trap = coin(rng) ? NONE : coin(rng) ? 0 : 1;
    for (int i = 0; i < state_heads(config); i++)
        state->knockouts[i] = (unsigned char)(coin(rng) ? KNOCKOUT_NONE : below(rng, 3));
    state->step = coin(rng) ? 0 : below(rng, LONGEST + 1);
    randomize_look(state, rng);
    state->mode = (CompareMode)below(rng, COMPARE_SNAPSHOTS); /* this model has none */
    if (state->mode == COMPARE_HEADS) state->other_head = random_head(rng);
    if (state->mode == COMPARE_INPUTS || state->mode == COMPARE_MODELS)
        set_random_text(&state->other, rng);
    state->has_hover = coin(rng);
    state->hover = random_head(rng);
    state->hover_row = coin(rng) ? NONE : below(rng, LONGEST);
    state->hover_column = coin(rng) ? NONE : below(rng, LONGEST);
    state->hover_example = state->companion && coin(rng);
}

static void test_any_state_comes_back(void **unused) {
    (void)unused;
    Session *session = helper_session((HelperModel){0});
    const Config *config = &session_model(session)->config;
    for (uint64_t trial = 0; trial < 3000; trial++) {
        Rng rng = rng_make(5, trial);
        Error error = {0};
        State state;
        assert_true(state_make(&state, config, "x"));
        randomize(&state, config, &rng);
        char *text = state_text(&state, config, STATE_SHOWN);
        assert_non_null(text);
        helper_apply(session, "hover off"); /* it would stay under a recipe without */
        if (!session_restore(session, text, &error)) fail_msg("%s: %s", text, error.text);
        helper_recipe_is(session, text);
        const State *now = session_state(session);
        assert_true(pass_key_same(pass_key(&state, config, 1), pass_key(now, config, 1)));
        assert_true(now->zoom == state.zoom && now->left == state.left && now->top == state.top);
        assert_string_equal(now->other, state.other);
        assert_string_equal(now->lesson, state.lesson);
        assert_int_equal(now->lesson_scroll, state.lesson_scroll);
        free(text);
        state_free(&state);
    }
    session_free(session);
}

static void test_copy_has_all(void **unused) {
    (void)unused;
    Config config = small_config();
    for (uint64_t trial = 0; trial < 200; trial++) {
        Rng rng = rng_make(6, trial);
        State state, copy;
        assert_true(state_make(&state, &config, "x"));
        randomize(&state, &config, &rng);
        assert_true(state_copy(&copy, &state, &config));
        char *wanted = state_text(&state, &config, STATE_SHOWN);
        state_free(&state);
        assert_text(&copy, &config, wanted);
        free(wanted);
        state_free(&copy);
    }
}

/* --- what makes another pass ------------------------------------------------------------------ */

/* After `first`, these actions change the pass, or only what is looked at. */
static void assert_pass(const char *first, const char *actions, bool same) {
    Session *session = helper_session((HelperModel){0});
    const Config *config = &session_model(session)->config;
    State before;
    helper_apply(session, first);
    assert_true(state_copy(&before, session_state(session), config));
    helper_apply(session, actions);
    PassKey key = pass_key(&before, config, 1), now = pass_key(session_state(session), config, 1);
    if (pass_key_same(key, now) != same)
        fail_msg("%s; %s: the pass is %s", first, actions, same ? "another" : "the same");
    state_free(&before);
    session_free(session);
}

static void test_same_pass(void **state) {
    (void)state;
    static const char *const other_passes[] = {
        "input ab",   "prefix a", "target a",  "enc_len 3",        "dec_len 3",
        "causal off", "step 2",   "companion", "ablate cross.1.1", "ablate encoder.0.0 mean",
        "input \"\""};
    static const char *const looks[] = {"select encoder.0.1",
                                        "against plain",
                                        "difference",
                                        "page compare",
                                        "focus",
                                        "lines",
                                        "threshold 0.5",
                                        "zoom 3",
                                        "pin source 1",
                                        "hover cross.0.0 1 1",
                                        "theme dark",
                                        "colormap grey",
                                        "text_scale 2",
                                        "present",
                                        "help",
                                        "against input x",
                                        ""};
    for (size_t i = 0; i < sizeof other_passes / sizeof other_passes[0]; i++)
        assert_pass("", other_passes[i], false);
    for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++)
        assert_pass("", looks[i], true);
    assert_pass("companion ab", "input b", false);
    assert_pass("companion ab", "enc_len 2", false);
    assert_pass("companion ab", "example 0", true);
    assert_pass("ablate cross.1.1", "ablate cross.1.1 mean", false);
    assert_pass("prefix ab", "target ab", false);
    assert_pass("prefix \"\"", "prefix", false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places_of_heads),
        cmocka_unit_test(test_first_state),
        cmocka_unit_test(test_any_state_comes_back),
        cmocka_unit_test(test_copy_has_all),
        cmocka_unit_test(test_same_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
