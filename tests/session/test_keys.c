/* The table of keys: each action is one that a session takes, no two keys are the same, and the
 * list that help shows is whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <SDL_keyboard.h>
#include <stdlib.h>
#include <string.h>

#include "app/screen/keys.h"
#include "helper_session.h"

static bool take_anything(void *context, const Action *action, Error *error) {
    (void)action, (void)error;
    ++*(int *)context;
    return true;
}

static void test_sessions_take_every_action(void **state) {
    (void)state;
    int served = 0;
    Session *session = helper_session((HelperModel){0});
    session_set_host(session, (SessionHost){take_anything, &served});
    for (int i = 0; i < keys_count(); i++) {
        helper_apply(session, "against heads"); /* what is swapped is two heads */
        if (keys_at(i)->action) helper_apply(session, keys_at(i)->action);
    }
    assert_true(served >= 6); /* save, sheet, copy, play, fullscreen, quit */
    session_free(session);
}

static void test_no_key_does_two_things(void **state) {
    (void)state;
    for (int i = 0; i < keys_count(); i++)
        for (int j = i + 1; j < keys_count(); j++) {
            const Key *a = keys_at(i), *b = keys_at(j);
            if (a->symbol && a->symbol == b->symbol && a->modifiers == b->modifiers)
                fail_msg("entries %d and %d (%s) have the same key", i, j,
                         b->keys ? b->keys : b->action);
        }
}

static void test_the_list_is_whole(void **state) {
    (void)state;
    int headings = 0, lines = 0;
    for (int i = 0; i < keys_count(); i++) {
        const Key *key = keys_at(i);
        bool shown_alone = key->keys && key->symbol == 0; /* what a page takes by itself */
        if (!shown_alone) assert_int_equal(key->heading != NULL, key->symbol == 0);
        assert_int_equal(key->keys != NULL, key->what != NULL);
        if (key->heading) {
            headings++;
            assert_null(key->keys);
            assert_non_null(keys_at(i + 1)->keys); /* no empty part */
            continue;
        }
        lines += key->keys != NULL;
        assert_int_equal(key->command == KEY_NONE, shown_alone);
        if (key->command == KEY_ACTION) assert_non_null(key->action);
    }
    assert_true(headings > 3 && lines > 30);
    assert_non_null(keys_at(0)->heading);
    assert_null(keys_at(-1));
    assert_null(keys_at(keys_count()));
}

static void assert_does(int32_t symbol, int place, int modifiers, const char *action) {
    const Key *key = keys_find(symbol, place, modifiers);
    if (!key || !key->action || strcmp(key->action, action) != 0)
        fail_msg("%s was wanted, not %s", action, key && key->action ? key->action : "nothing");
}

static void test_presses_find_their_action(void **state) {
    (void)state;
    assert_does(SDLK_LEFT, SDL_SCANCODE_LEFT, 0, "head previous");
    assert_does(SDLK_TAB, SDL_SCANCODE_TAB, KEY_SHIFT, "site previous");
    assert_does(SDLK_a, SDL_SCANCODE_A, KEY_SHIFT, "ablate layer");
    assert_does(SDLK_a, SDL_SCANCODE_A, KEY_SHIFT | KEY_CTRL, "ablate mean");
    assert_does(SDLK_z, SDL_SCANCODE_Z, KEY_CTRL | KEY_SHIFT, "redo");
    assert_does(SDLK_SPACE, SDL_SCANCODE_SPACE, 0, "play");
    assert_null(keys_find(SDLK_a, SDL_SCANCODE_A, KEY_ALT));
    assert_null(keys_find(SDLK_F12, SDL_SCANCODE_F12, 0));
    assert_null(keys_find(0, SDL_SCANCODE_UNKNOWN, 0));
}

/* On a German keyboard ü and + stand where a US one has the brackets; + is a key of its own. */
static void test_brackets_have_a_place(void **state) {
    (void)state;
    assert_does(SDLK_LEFTBRACKET, SDL_SCANCODE_LEFTBRACKET, 0, "step previous");
    assert_does(0xFC, SDL_SCANCODE_LEFTBRACKET, 0, "step previous");
    assert_does(0xE5, SDL_SCANCODE_RIGHTBRACKET, 0, "step next");
    assert_does(SDLK_PLUS, SDL_SCANCODE_RIGHTBRACKET, 0, "zoom in");
    assert_null(keys_find(0xFC, SDL_SCANCODE_LEFTBRACKET, KEY_CTRL));
}

/* d where something is changed shows what the change does; else A - B of two heads. */
static void test_d_is_the_difference_from_the_model_as_trained(void **state) {
    (void)state;
    const Key *d = keys_find(SDLK_d, SDL_SCANCODE_D, 0);
    assert_true(d && d->action);
    static const char *const changes[] = {"ablate encoder.0.0", "enc_len 1", "causal off",
                                          "trap no-scale"};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        Session *session = helper_session((HelperModel){0});
        helper_apply(session, "input abc");
        helper_apply(session, changes[i]);
        helper_apply(session, d->action);
        char *recipe = session_recipe(session);
        if (!strstr(recipe, "against plain; difference on"))
            fail_msg("after %s, d: %s", changes[i], recipe);
        free(recipe);
        helper_apply(session, d->action);
        recipe = session_recipe(session);
        assert_null(strstr(recipe, "difference"));
        free(recipe);
        helper_apply(session, "plain; against cross.0.1");
        helper_apply(session, d->action);
        recipe = session_recipe(session);
        assert_non_null(strstr(recipe, "against cross.0.1; difference on"));
        free(recipe);
        session_free(session);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sessions_take_every_action),
        cmocka_unit_test(test_no_key_does_two_things),
        cmocka_unit_test(test_the_list_is_whole),
        cmocka_unit_test(test_presses_find_their_action),
        cmocka_unit_test(test_brackets_have_a_place),
        cmocka_unit_test(test_d_is_the_difference_from_the_model_as_trained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
