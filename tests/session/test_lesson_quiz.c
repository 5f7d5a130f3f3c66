/* The quiz as a page: it follows from its words alone, and its buttons lead through the drill. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/lesson.h"
#include "app/lesson_print.h"
#include "app/quiz.h"

/* A page and what made it. */
typedef struct Made {
    LessonMaker *maker;
    const LessonPage *page; /* NULL where its words were refused */
    Error error;
} Made;

/* From an action such as "lesson quiz --seed 7". */
static Made make(const char *action) {
    static const Command command = {"quiz", "", "", NULL};
    char words[1000], *argv[20];
    int argc = 0;
    snprintf(words, sizeof words, "%s", action);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    assert_string_equal(argv[0], "lesson");
    assert_string_equal(argv[1], "quiz");
    Made made = {.maker = lesson_maker()};
    LessonCall call = {.command = &command, .argc = argc - 2, .argv = argv + 2};
    LessonResult result = {0};
    if (lesson_quiz.make(made.maker, &call, &result, &made.error))
        made.page = lesson_finish(made.maker, &made.error);
    assert_false(result.found_fault || result.only_help);
    return made;
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

static bool says(const LessonPage *page, const char *part) {
    for (int i = 0; i < page->count; i++)
        if (page->blocks[i].text && strstr(page->blocks[i].text, part)) return true;
    return false;
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
        Made made = make(action);
        assert_non_null(made.page);
        quiz_ask(&question, seed, i);
        assert_true(says(made.page, question.text));
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
        assert_non_null(made.page);
        char heading[60], score[40];
        points += right;
        snprintf(heading, sizeof heading, "Question %d: %s", i + 1,
                 right   ? "right"
                 : shown ? "shown"
                         : "wrong");
        snprintf(score, sizeof score, "%d of %d right", points, i + 1);
        assert_true(says(made.page, heading));
        assert_true(says(made.page, question.why));
        assert_true(says(made.page, question.choices[question.right].label));
        assert_string_equal(score_of(made.page)->value, score);
        assert_float_equal(score_of(made.page)->share, (float)points / (float)(i + 1), 1e-6F);
        lesson_free(made.maker);
    }
    Made made = make(action);
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
    Made a = make(action), b = make("lesson quiz --seed 7 --answers 2,1");
    Made c = make(action), d = make("lesson quiz --seed 8 --answers 2,1,0");
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
        "lesson quiz --answers 9",       "lesson quiz --answers 1,,2",
        "lesson quiz --answers 1,",      "lesson quiz --answers x",
        "lesson quiz --answers -1",      "lesson quiz --count 2 --answers 1,1,1",
        "lesson quiz --count 0",         "lesson quiz --count 999",
        "lesson quiz --seed -1",         "lesson quiz --answers 99999999999999999999",
        "lesson quiz --answers 1,2 3,4", "lesson quiz --answers 1;2",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        Made made = make(bad[i]);
        if (made.page) fail_msg("%s is taken", bad[i]);
        assert_int_equal(made.error.kind, ERROR_USAGE);
        lesson_free(made.maker);
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
