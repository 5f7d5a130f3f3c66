/* The table of tasks, and the letter and number tasks against their definitions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/tasks/task.h"
#include "data/tasks/vocab.h"

enum { DRAWS = 20000 };

static void test_find(void **state) {
    (void)state;
    static const char *const names[] = {"copy", "reverse", "sort", "add", "dates"};
    for (int i = 0; i < 5; i++) {
        assert_ptr_equal(task_find(names[i]), tasks_all[i]);
        assert_string_equal(tasks_all[i]->name, names[i]);
    }
    assert_null(tasks_all[5]);
    assert_null(task_find("cop"));
    assert_null(task_find(""));
    assert_null(task_find("Copy"));
}

static void open_vocabs(const Task *task, Vocab *source, Vocab *target) {
    Error error = {0};
    if (!vocab_from_characters(source, task->source_characters, &error) ||
        !vocab_from_characters(target, task->target_characters, &error))
        fail_msg("%s: %s", task->name, error.text);
}

static int encoded(const Vocab *vocab, const char *text, int most) {
    int ids[TASK_TEXT_SIZE];
    Error error = {0};
    int length = vocab_encode(vocab, text, ids, most, &error);
    if (length < 1) fail_msg("%s: %s", text, error.text);
    return length;
}

static void test_entries_are_complete(void **state) {
    (void)state;
    for (const Task *const *at = tasks_all; *at; at++) {
        const Task *task = *at;
        Vocab source, target;
        open_vocabs(task, &source, &target);
        assert_true(strlen(task->help) > 20 && !strchr(task->help, '\n'));
        assert_true(task->steps > 0 && task->learning_rate > 0);
        encoded(&source, task->sample, task->max_source);
        vocab_free(&source);
        vocab_free(&target);
    }
}

/* What has been met of a vocabulary: its ids and the longest text. */
typedef struct Coverage {
    bool ids[256];
    int longest;
} Coverage;

static void cover(Coverage *coverage, const Vocab *vocab, const char *text, int most) {
    int ids[TASK_TEXT_SIZE];
    int length = encoded(vocab, text, most);
    vocab_encode(vocab, text, ids, length, NULL);
    for (int i = 0; i < length; i++)
        coverage->ids[ids[i]] = true;
    if (length > coverage->longest) coverage->longest = length;
}

static void assert_covered(const Coverage *coverage, const Vocab *vocab, int most,
                           const char *name) {
    assert_int_equal(coverage->longest, most);
    for (int id = VOCAB_MARKS; id < vocab->size; id++)
        if (!coverage->ids[id]) fail_msg("%s never uses %s", name, vocab->tokens[id]);
}

/* Every draw fits; the longest texts and every character of the vocabularies do occur. */
static void test_draws_fit_and_fill_the_vocabularies(void **state) {
    (void)state;
    for (const Task *const *at = tasks_all; *at; at++) {
        const Task *task = *at;
        Vocab source, target;
        Coverage read = {{false}, 0}, written = {{false}, 0};
        open_vocabs(task, &source, &target);
        Rng rng = rng_make(11, 0);
        for (int i = 0; i < DRAWS; i++) {
            TaskExample example;
            task->make(&rng, &example);
            cover(&read, &source, example.source, task->max_source);
            cover(&written, &target, example.target, task->max_target);
        }
        assert_covered(&read, &source, task->max_source, task->name);
        assert_covered(&written, &target, task->max_target, task->name);
        vocab_free(&source);
        vocab_free(&target);
    }
}

static void test_draws_depend_on_the_generator_alone(void **state) {
    (void)state;
    for (const Task *const *at = tasks_all; *at; at++) {
        int same = 0;
        for (uint64_t stream = 0; stream < 500; stream++) {
            Rng rng = rng_make(3, stream), again = rng, other = rng_make(4, stream);
            TaskExample a, b, c;
            memset(&b, 0xFF, sizeof b);
            (*at)->make(&rng, &a);
            (*at)->make(&again, &b);
            (*at)->make(&other, &c);
            assert_string_equal(a.source, b.source);
            assert_string_equal(a.target, b.target);
            same += strcmp(a.source, c.source) == 0;
        }
        /* Two draws of copy agree once in about 460 pairs (single digits and letters). */
        assert_true(same < 10);
    }
}

typedef void Transform(const char *source, char *target);

static void expect_copy(const char *source, char *target) {
    strcpy(target, source);
}

static void expect_reverse(const char *source, char *target) {
    target += strlen(source);
    *target = '\0';
    while (*source)
        *--target = *source++;
}

static void expect_sort(const char *source, char *target) {
    for (char letter = '0'; letter <= 'z'; letter++)
        for (const char *at = source; *at; at++)
            if (*at == letter) *target++ = letter;
    *target = '\0';
}

static void check_letters(const char *name, Transform *expect) {
    const Task *task = task_find(name);
    int lengths[17] = {0}, letters = 0;
    Rng rng = rng_make(5, 0);
    for (int i = 0; i < DRAWS; i++) {
        TaskExample example;
        char expected[TASK_TEXT_SIZE];
        task->make(&rng, &example);
        size_t length = strlen(example.source);
        assert_true(length >= 1 && length <= 16);
        bool letter = example.source[0] >= 'a';
        for (size_t j = 0; j < length; j++)
            assert_true(letter ? islower((unsigned char)example.source[j])
                               : isdigit((unsigned char)example.source[j]));
        expect(example.source, expected);
        assert_string_equal(example.target, expected);
        lengths[length]++;
        letters += letter;
    }
    /* Expected are 1250 of each length, deviation 34, and 10000 of letters, deviation 71: five
     * deviations are allowed. */
    for (int length = 1; length <= 16; length++)
        assert_in_range(lengths[length], 1250 - 170, 1250 + 170);
    assert_in_range(letters, 10000 - 355, 10000 + 355);
}

static void test_copy(void **state) {
    (void)state;
    check_letters("copy", expect_copy);
}

static void test_reverse(void **state) {
    (void)state;
    check_letters("reverse", expect_reverse);
}

static void test_sort(void **state) {
    (void)state;
    check_letters("sort", expect_sort);
}

static void test_add(void **state) {
    (void)state;
    const Task *task = task_find("add");
    int digits[5][5] = {{0}}, zeros = 0, nines = 0;
    Rng rng = rng_make(6, 0);
    for (int i = 0; i < 10 * DRAWS; i++) {
        TaskExample example;
        task->make(&rng, &example);
        char *sign, *end;
        long a = strtol(example.source, &sign, 10), b = strtol(sign + 1, &end, 10);
        assert_true(*sign == '+' && *end == '\0');
        /* Written back, a leading zero or a sign would be missing. */
        char text[64];
        snprintf(text, sizeof text, "%ld+%ld", a, b);
        assert_string_equal(example.source, text);
        snprintf(text, sizeof text, "%ld", a + b);
        assert_string_equal(example.target, text);
        assert_in_range(a, 0, 9999);
        assert_in_range(b, 0, 9999);
        digits[sign - example.source][end - sign - 1]++;
        zeros += a == 0;
        nines += b == 9999;
    }
    /* Every pair of digit counts is met; the rarest, 1 and 1, in one draw of a hundred: 2000,
     * deviation 45. So is a lone 0. 9999 comes 9 times, and does come. */
    for (int a = 1; a <= 4; a++)
        for (int b = 1; b <= 4; b++)
            assert_true(digits[a][b] > 2000 - 225);
    assert_in_range(zeros, 2000 - 225, 2000 + 225);
    assert_in_range(nines, 1, 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_entries_are_complete),
        cmocka_unit_test(test_draws_fit_and_fill_the_vocabularies),
        cmocka_unit_test(test_draws_depend_on_the_generator_alone),
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_reverse),
        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_add),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
