/* The command quiz, answered through a pipe. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/app/helper_program.h"

enum { QUESTIONS = 25, ANSWER = 200 };

static Ran quiz(const char *seed, const char *count, const char *input) {
    const char *const words[] = {"quiz", "--seed", seed, "--count", count, NULL};
    return program_run(words, input);
}

/* The right answers, as the command tells them to whoever is wrong: each ends at the ". " that is
 * before its reason, and may be broken over two lines. */
static int right_answers(const char *out, char answers[][ANSWER]) {
    int count = 0;
    for (const char *at = out; (at = strstr(at, ": it is ")); count++) {
        at += strlen(": it is ");
        size_t length = 0;
        while (at[length] != '.')
            length++;
        assert_true(length < ANSWER && count < QUESTIONS);
        memcpy(answers[count], at, length);
        answers[count][length] = '\0';
        for (char *newline; (newline = strchr(answers[count], '\n'));)
            *newline = ' ';
    }
    return count;
}

static int count_of(const char *text, const char *part) {
    int count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

/* Wrong answers tell the right ones, which then count; a mix gives the score of the mix. */
static void test_score(void **state) {
    (void)state;
    static const char *const seeds[] = {"1", "7", "12345678901234567890"};
    for (int seed = 0; seed < 3; seed++) {
        char input[QUESTIONS * ANSWER] = "", mixed[QUESTIONS * ANSWER] = "";
        char answers[QUESTIONS][ANSWER];
        for (int i = 0; i < QUESTIONS; i++)
            strcat(input, i % 2 ? "987654\n" : "what?\n");
        Ran ran = quiz(seeds[seed], "25", input);
        assert_status(&ran, 0);
        assert_int_equal(right_answers(ran.out, answers), QUESTIONS);
        assert_int_equal(count_of(ran.out, "\nRight: "), 0);
        assert_non_null(strstr(ran.out, "\nScore: 0 of 25 right (0 %).\nTo look at again: "));
        assert_string_equal(ran.err, "");
        ran_free(&ran);

        input[0] = '\0';
        for (int i = 0; i < QUESTIONS; i++) {
            strcat(strcat(input, answers[i]), "\n");
            strcat(strcat(mixed, i % 5 ? answers[i] : "0 0 0 0 0"), "\n");
        }
        ran = quiz(seeds[seed], "25", input);
        assert_status(&ran, 0);
        assert_int_equal(count_of(ran.out, "\nRight: "), QUESTIONS);
        assert_non_null(strstr(ran.out, "\nScore: 25 of 25 right (100 %).\nThe same questions"));
        ran_free(&ran);

        ran = quiz(seeds[seed], "25", mixed);
        assert_status(&ran, 0);
        assert_int_equal(count_of(ran.out, "\nRight: "), QUESTIONS - 5);
        assert_non_null(strstr(ran.out, "\nScore: 20 of 25 right (80 %).\n"));
        ran_free(&ran);
    }
}

/* q, and the end of input, end the run with the score so far. */
static void test_ends(void **state) {
    (void)state;
    static const struct {
        const char *input, *score;
        int questions;
    } ends[] = {
        {"", "Score: 0 of 0 right.\n", 1},
        {"q\n1\n", "Score: 0 of 0 right.\n", 1},
        {"987654\n q \n1\n", "Score: 0 of 1 right (0 %).\n", 2},
        {"987654\r\n987654\r\nquit\r\n", "Score: 0 of 2 right (0 %).\n", 3},
        {"987654\n987654", "Score: 0 of 2 right (0 %).\n", 3},
        {"\n\n\n", "Score: 0 of 3 right (0 %).\n", 4},
        {"queries\n", "Score: 0 of 1 right (0 %).\n", 2},
    };
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        Ran ran = quiz("3", "8", ends[i].input);
        assert_status(&ran, 0);
        if (!strstr(ran.out, ends[i].score)) fail_msg("%s: %s", ends[i].input, ran.out);
        assert_int_equal(count_of(ran.out, " of 8. "), ends[i].questions);
        assert_non_null(strstr(ran.out, "headscope quiz --seed 3 --count 8\n"));
        ran_free(&ran);
    }
}

/* The same seed asks the same, no seed asks anew and says how to ask the same again. */
static void test_seeds(void **state) {
    (void)state;
    static const char input[] = "1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n";
    Ran fresh = program_run((const char *const[]){"quiz", NULL}, input);
    assert_status(&fresh, 0);
    const char *again = strstr(fresh.out, "headscope quiz --seed ");
    assert_non_null(again);
    char seed[32];
    assert_int_equal(sscanf(again, "headscope quiz --seed %31s --count 10", seed), 1);
    Ran same = quiz(seed, "10", input), other = quiz("1000001", "10", input);
    assert_string_equal(same.out, fresh.out);
    assert_string_not_equal(other.out, fresh.out);
    ran_free(&fresh);
    ran_free(&same);
    ran_free(&other);
}

static void test_usage(void **state) {
    (void)state;
    static const char *const bad[][2] = {
        {"--seed", "x"}, {"--count", "0"}, {"--count", "many"}, {"--answers", "x"}, {"7", NULL}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        Ran ran = RUN("quiz", bad[i][0], bad[i][1]);
        assert_status(&ran, 2);
        assert_int_equal(count_lines(ran.err), 1);
        assert_string_equal(ran.out, "");
        ran_free(&ran);
    }
    Ran page = RUN("quiz", "--seed", "7", "--answers", "1,0"); /* as the window names its page */
    assert_status(&page, 0);
    assert_non_null(strstr(page.out, "\nQuestion 2: shown\n"));
    assert_non_null(strstr(page.out, "\nQuestion 3 of 10\n"));
    ran_free(&page);
    Ran help = RUN("quiz", "--help");
    assert_status(&help, 0);
    assert_non_null(strstr(help.out, "--seed"));
    ran_free(&help);
    help = RUN("--help");
    assert_int_equal(count_of(help.out, "\n  quiz "), 1);
    ran_free(&help);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_score),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_usage),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
