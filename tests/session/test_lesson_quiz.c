/* The quiz as a page: it follows from its words alone, and its buttons lead through the drill. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/lessons/quiz.h"
#include "app/page/lesson_print.h"
#include "tests/session/helper_page.h"

/* From an action such as "lesson quiz --seed 7". */
static Page make(const char *action) {
    assert_memory_equal(action, "lesson quiz", strlen("lesson quiz"));
    return page_make(&lesson_quiz, action + strlen("lesson quiz"));
}

static char *text_of(const LessonPage *page) {
    char *text;
    size_t size;
    Error error;
    FILE *stream = open_memstream(&text, &size);
    assert_true(lesson_print(stream, page, &error));
    fclose(stream);
    return text;
}

/* The first block of buttons; of the choices, while there is a question. */
static const LessonButtons *buttons_of(const LessonPage *page) {
    for (int i = 0; i < page->count; i++)
        if (page->blocks[i].kind == LESSON_BUTTONS) return &page->blocks[i].buttons;
    fail_msg("the page has no buttons");
    return NULL;
}

static const LessonBar *score_of(const LessonPage *page) {
    for (int i = 0; i < page->count; i++)
        if (page->blocks[i].kind == LESSON_BARS) return &page->blocks[i].bars.bars[0];
    return NULL;
}

/* Goes through a drill by its buttons, right where `right` of (question) says so. */
static void walk(uint64_t seed, int count, int every) {
    static QuizQuestion question;
    char action[1000];
    snprintf(action, sizeof action, "lesson quiz --seed %llu --count %d", (unsigned long long)seed,
             count);
    int points = 0;
    for (int i = 0; i < count; i++) {
        Page made = make(action);
        quiz_ask(&question, seed, i);
        assert_true(page_says(made.page, question.text));
        const LessonButtons *buttons = buttons_of(made.page);
        assert_int_equal(buttons->count, question.choice_count + 1);
        for (int choice = 0; choice < question.choice_count; choice++)
            assert_string_equal(buttons->buttons[choice].label, question.choices[choice].label);
        bool right = i % every == 0, shown = i % every == 1;
        int taken = right   ? question.right
                    : shown ? question.choice_count
                            : (question.right + 1) % question.choice_count;
        snprintf(action, sizeof action, "%s", buttons->buttons[taken].action);
        lesson_free(made.maker);

        made = make(action);
        char heading[60], score[40];
        points += right;
        snprintf(heading, sizeof heading, "Question %d: %s", i + 1,
                 right   ? "right"
                 : shown ? "shown"
                         : "wrong");
        snprintf(score, sizeof score, "%d of %d right", points, i + 1);
        assert_true(page_says(made.page, heading));
        assert_true(page_says(made.page, question.why));
        assert_true(page_says(made.page, question.choices[question.right].label));
        assert_string_equal(score_of(made.page)->value, score);
        assert_float_equal(score_of(made.page)->share, (float)points / (float)(i + 1), 1e-6F);
        lesson_free(made.maker);
    }
    Page made = make(action);
    int rows = 0;
    for (int i = 0; i < made.page->count; i++)
        if (made.page->blocks[i].kind == LESSON_TABLE) {
            const LessonTable *table = &made.page->blocks[i].table;
            for (rows = 0; rows < table->row_count; rows++) {
                bool good = table->rows[rows].tone == TONE_GOOD;
                assert_int_equal(good, rows % every == 0);
                assert_int_equal(
                    good, strcmp(table->rows[rows].cells[2], table->rows[rows].cells[3]) == 0);
            }
        }
    assert_int_equal(rows, count);
    lesson_free(made.maker);
}

static void test_walks(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++)
        walk(seed, 1 + 5 * (int)seed, 3);
}

static void test_page_is_its_words(void **state) {
    (void)state;
    static const char action[] = "lesson quiz --seed 7 --answers 2,1,0";
    Page a = make(action), b = make("lesson quiz --seed 7 --answers 2,1");
    Page c = make(action), d = make("lesson quiz --seed 8 --answers 2,1,0");
    char *texts[4] = {text_of(a.page), text_of(b.page), text_of(c.page), text_of(d.page)};
    assert_string_equal(texts[0], texts[2]);
    assert_string_not_equal(texts[0], texts[1]);
    assert_string_not_equal(texts[0], texts[3]);
    for (int i = 0; i < 4; i++)
        free(texts[i]);
    lesson_free(a.maker);
    lesson_free(b.maker);
    lesson_free(c.maker);
    lesson_free(d.maker);
}

static void test_bad_words(void **state) {
    (void)state;
    static const char *const bad[] = {
        "--answers 9",       "--answers 1,,2",
        "--answers 1,",      "--answers x",
        "--answers -1",      "--count 2 --answers 1,1,1",
        "--count 0",         "--count 999",
        "--seed -1",         "--answers 99999999999999999999",
        "--answers 1,2 3,4", "--answers 1;2",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[512];
        page_refused(&lesson_quiz, bad[i], text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walks),
        cmocka_unit_test(test_page_is_its_words),
        cmocka_unit_test(test_bad_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
