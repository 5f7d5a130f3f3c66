/* The page of lessons: its actions, and when a page is built. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/lessons/lesson_list.h"
#include "app/session/session_inside.h"
#include "tests/session/helper_screen.h"
#include "tests/session/helper_session.h"
#include "viz/scene/lesson.h"

static const Screen *screen_of(Session *session) {
    static const ScreenExtra frame = {.editing = -1};
    Error error = {0};
    const Screen *screen = screen_build(session, &frame, &error);
    if (!screen) fail_msg("%s", error.text);
    helper_check_screen(screen);
    return screen;
}

static const ScreenLesson *lesson_after(Session *session, const char *actions) {
    helper_apply(session, actions);
    return &screen_of(session)->lesson;
}

/* Every lesson opens by its name, is marked in the menu, and its first page can be built. */
static void test_menu(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    for (int i = 0; lesson_at(i); i++) {
        char action[64];
        snprintf(action, sizeof action, "lesson %s", lesson_at(i)->name);
        const ScreenLesson *shown = lesson_after(session, action);
        assert_int_equal(session_state(session)->page, PAGE_LESSONS);
        assert_string_equal(shown->menu[i].action, action);
        assert_true(shown->menu[i].on);
        if (!shown->page) fail_msg("%s: %s", action, shown->problem);
        assert_true(shown->page->count > 0);
        assert_int_equal(shown->follows, lesson_at(i)->follows_pass);
        assert_null(lesson_at(shown->menu_count));
    }
    session_free(session);
}

static void test_steps(void **state) {
    (void)state;
    static const HelperStep steps[] = {
        {"lesson provenance", "input a; select cross.1.0; against cross.1.1; lesson provenance"},
        {"lesson provenance --width 8; scroll 40",
         "input a; select cross.1.0; against cross.1.1; lesson provenance --width 8; scroll 40"},
        {"lesson", "input a; select cross.1.0; against cross.1.1; page lessons"},
        {"lesson quiz; page explore",
         "input a; select cross.1.0; against cross.1.1; lesson quiz; page explore"},
        {"lesson quiz; lesson toggle; lesson",
         "input a; select cross.1.0; against cross.1.1; lesson quiz"},
        {"lesson quiz; lesson toggle",
         "input a; select cross.1.0; against cross.1.1; lesson quiz; page explore"},
        {"lesson quiz; scroll 70; lesson next; lesson previous",
         "input a; select cross.1.0; against cross.1.1; lesson quiz"},
        {"lesson \"quiz 'a;b'\"", "input a; select cross.1.0; against cross.1.1; lesson \"quiz "
                                  "'a;b'\""},
    };
    helper_steps(steps, sizeof steps / sizeof steps[0]);
}

static void test_refusals(void **state) {
    (void)state;
    static const HelperStep refused[] = {
        {"lesson nothing", "no such lesson"}, {"lesson shap", "no such lesson"},
        {"scroll", "whole number"},           {"scroll -1", "whole number"},
        {"scroll x", "whole number"},         {"page lesson", "lessons"}};
    helper_refusals(refused, sizeof refused / sizeof refused[0]);
}

/* Round and round. */
static void test_next_lesson(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    int count = 0;
    while (lesson_at(count))
        count++;
    lesson_after(session, "lesson");
    for (int i = 1; i <= count; i++) {
        const ScreenLesson *shown = lesson_after(session, "lesson next");
        assert_true(shown->menu[i % count].on);
    }
    const ScreenLesson *shown = lesson_after(session, "lesson previous");
    assert_true(shown->menu[count - 1].on);
    session_free(session);
}

/* Unknown words leave one line; correct words replace it. */
static void test_unknown_words(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    static const char *const wrong[] = {"lesson provenance --no-such 3", "lesson provenance 'open",
                                        "lesson provenance --help", "lesson quiz -h"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const ScreenLesson *shown = lesson_after(session, wrong[i]);
        assert_null(shown->page);
        assert_non_null(shown->problem);
        assert_true(lesson_after(session, "lesson provenance")->page != NULL);
    }
    session_free(session);
}

/* A page is built once, and rebuilt for other words or, if it follows the model, for another pass.
 */
static void test_page_is_built_once(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    const LessonMaker *first;
    lesson_after(session, "lesson provenance");
    first = session->lesson.maker;
    lesson_after(session, "theme dark; scroll 30");
    lesson_after(session, "input ab");
    lesson_after(session, "page explore");
    lesson_after(session, "lesson");
    assert_ptr_equal(session->lesson.maker, first);
    const LessonBlock *blocks = session->lesson.page->blocks;
    lesson_after(session, "lesson provenance --heads 2 --width 8");
    assert_true(session->lesson.page->blocks != blocks || session->lesson.maker != first);
    assert_string_equal(session->lesson.words, "provenance --heads 2 --width 8");
    for (int i = 0; lesson_at(i); i++) {
        char action[64];
        if (!lesson_at(i)->follows_pass) continue;
        snprintf(action, sizeof action, "lesson %s", lesson_at(i)->name);
        lesson_after(session, action);
        PassKey before = session->lesson.of.pass;
        lesson_after(session, "theme next");
        assert_true(pass_key_same(session->lesson.of.pass, before));
        snprintf(action, sizeof action, "input a%d", i);
        lesson_after(session, action);
        assert_false(pass_key_same(session->lesson.of.pass, before));
    }
    session_free(session);
}

static void press(Session *session, const char *action) {
    if (action) helper_apply(session, action);
}

/* Buttons, rows and maps of pages have valid actions. */
static void test_presses_are_actions(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    for (int i = 0; lesson_at(i); i++) {
        char action[64];
        snprintf(action, sizeof action, "lesson %s", lesson_at(i)->name);
        const LessonPage *page = lesson_after(session, action)->page;
        for (int b = 0; b < page->count; b++) {
            const LessonBlock *block = &page->blocks[b];
            for (int n = 0; n < block->buttons.count; n++)
                press(session, block->buttons.buttons[n].action);
            for (int n = 0; n < block->table.row_count; n++)
                press(session, block->table.rows[n].action);
            for (int n = 0; n < block->maps.count; n++)
                press(session, block->maps.maps[n].action);
        }
    }
    session_free(session);
}

static void splits(const char *text, const char *const *wanted, int wanted_count) {
    Pool pool = {0};
    int count;
    char **words = lesson_split(&pool, text, &count, NULL);
    assert_non_null(words);
    assert_int_equal(count, wanted_count);
    for (int i = 0; i < count; i++)
        assert_string_equal(words[i], wanted[i]);
    assert_null(words[count]);
    pool_free(&pool);
}

static void test_words(void **state) {
    (void)state;
    splits("", NULL, 0);
    splits("  ", NULL, 0);
    splits("a", (const char *const[]){"a"}, 1);
    splits(" a  bb\tc ", (const char *const[]){"a", "bb", "c"}, 3);
    splits("e --input \"3 May\" 'x \"y'", (const char *const[]){"e", "--input", "3 May", "x \"y"},
           4);
    splits("a'b c'd \"\" e", (const char *const[]){"ab cd", "", "e"}, 3);
    splits("''", (const char *const[]){""}, 1);
    static const char *const open[] = {"'", "a 'b", "a\"", "'a'b'", "\"a'"};
    for (size_t i = 0; i < sizeof open / sizeof open[0]; i++) {
        Pool pool = {0};
        int count;
        Error error = {0};
        assert_null(lesson_split(&pool, open[i], &count, &error));
        assert_int_equal(error.kind, ERROR_USAGE);
        pool_free(&pool);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_menu),          cmocka_unit_test(test_steps),
        cmocka_unit_test(test_refusals),      cmocka_unit_test(test_next_lesson),
        cmocka_unit_test(test_unknown_words), cmocka_unit_test(test_page_is_built_once),
        cmocka_unit_test(test_words),         cmocka_unit_test(test_presses_are_actions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
