/* The commands run and eval: lines, filters, JSON, beams, threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cjson/cJSON.h>

#include "tests/app/helper_program.h"

static Ran run_model(const char *input, const char *const *more) {
    const char *words[MOST_WORDS] = {"run", copy_model()};
    int count = 2;
    for (; *more; more++)
        words[count++] = *more;
    return program_run(words, input);
}

#define RUN_MODEL(input, ...) run_model(input, (const char *const[]){__VA_ARGS__, NULL})

static bool model_is_shipped(void) {
    return strncmp(copy_model(), "assets/", 7) == 0;
}

static void test_a_line_for_each_input(void **state) {
    (void)state;
    Ran ran = RUN_MODEL(NULL, "--input", "42", "--input", "cab");
    assert_status(&ran, 0);
    assert_int_equal(count_lines(ran.out), 2);
    assert_string_equal(ran.err, "");
    /* The shipped model copies nearly every text; a tiny one says anything. */
    if (model_is_shipped()) assert_string_equal(ran.out, "42\ncab\n");
    ran_free(&ran);
}

static void test_standard_input_is_filtered_line_by_line(void **state) {
    (void)state;
    Ran given = RUN_MODEL(NULL, "--input", "42", "--input", "cab", "--input", "7");
    /* Line ends of Windows and a last line without an end are read as well. */
    Ran filtered = RUN_MODEL("42\r\ncab\n7", "--beam", "1");
    assert_status(&filtered, 0);
    assert_string_equal(given.out, filtered.out);
    ran_free(&given);
    ran_free(&filtered);

    Ran nothing = RUN_MODEL("", "--beam", "1");
    assert_status(&nothing, 0);
    assert_string_equal(nothing.out, "");
    ran_free(&nothing);
}

static void test_a_bad_line_is_numbered(void **state) {
    (void)state;
    Ran ran = RUN_MODEL("42\n4?2\n7\n", "--beam", "1");
    assert_status(&ran, 2);
    assert_int_equal(count_lines(ran.out), 1);
    assert_int_equal(count_lines(ran.err), 1);
    assert_non_null(strstr(ran.err, "line 2"));
    assert_non_null(strstr(ran.err, "'?'"));
    ran_free(&ran);
}

/* Checks one line of --json and gives its object (free it). */
static cJSON *check_json(const char *line, const char *input) {
    cJSON *object = cJSON_ParseWithLength(line, strcspn(line, "\n"));
    assert_non_null(object);
    const cJSON *tokens = cJSON_GetObjectItem(object, "tokens");
    const cJSON *log_probs = cJSON_GetObjectItem(object, "log_probs");
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(object, "input")), input);
    assert_true(cJSON_IsString(cJSON_GetObjectItem(object, "output")));
    assert_true(cJSON_GetArraySize(tokens) > 0);
    assert_int_equal(cJSON_GetArraySize(tokens), cJSON_GetArraySize(log_probs));
    double sum = 0;
    const cJSON *value;
    cJSON_ArrayForEach(value, log_probs) {
        assert_true(value->valuedouble <= 0);
        sum += value->valuedouble;
    }
    double told = cJSON_GetNumberValue(cJSON_GetObjectItem(object, "log_prob"));
    /* Doubles are written with 15 to 17 digits; at most 17 of them are summed. */
    assert_true(told - sum < 1e-12 && sum - told < 1e-12);
    return object;
}

static void test_json_holds_tokens_and_log_probabilities(void **state) {
    (void)state;
    Ran plain = RUN_MODEL(NULL, "--input", "42", "--input", "cab");
    Ran ran = RUN_MODEL(NULL, "--input", "42", "--input", "cab", "--json");
    assert_status(&ran, 0);
    assert_int_equal(count_lines(ran.out), 2);
    cJSON *first = check_json(ran.out, "42");
    cJSON *second = check_json(strchr(ran.out, '\n') + 1, "cab");
    char text[256];
    snprintf(text, sizeof text, "%s\n%s\n",
             cJSON_GetStringValue(cJSON_GetObjectItem(first, "output")),
             cJSON_GetStringValue(cJSON_GetObjectItem(second, "output")));
    assert_string_equal(plain.out, text);
    cJSON_Delete(first);
    cJSON_Delete(second);
    ran_free(&plain);
    ran_free(&ran);
}

static void test_beam_search(void **state) {
    (void)state;
    Ran ran = RUN_MODEL(NULL, "--input", "42", "--input", "cab", "--beam", "3");
    assert_status(&ran, 0);
    assert_int_equal(count_lines(ran.out), 2);
    if (model_is_shipped()) assert_string_equal(ran.out, "42\ncab\n");
    ran_free(&ran);
}

static void test_outputs_do_not_depend_on_threads(void **state) {
    (void)state;
    static const char *const beams[] = {"1", "3"};
    for (int beam = 0; beam < (small_work() ? 1 : 2); beam++) {
        Ran one = RUN_MODEL(NULL, "--json", "--beam", beams[beam], "--threads", "1", "--input",
                            "42", "--input", "cab", "--input", "7", "--input", "abcdefgh",
                            "--input", "0123456789012345");
        Ran many = RUN_MODEL(NULL, "--json", "--beam", beams[beam], "--threads", "4", "--input",
                             "42", "--input", "cab", "--input", "7", "--input", "abcdefgh",
                             "--input", "0123456789012345");
        assert_status(&one, 0);
        assert_status(&many, 0);
        assert_int_equal(count_lines(one.out), 5);
        assert_string_equal(one.out, many.out);
        ran_free(&one);
        ran_free(&many);
    }
}

static void test_eval_tells_three_numbers(void **state) {
    (void)state;
    const char *count = small_work() ? "3" : "100";
    Ran one = RUN("eval", copy_model(), "--json", "--count", count, "--threads", "1");
    Ran many = RUN("eval", copy_model(), "--json", "--count", count, "--threads", "3");
    assert_status(&one, 0);
    assert_string_equal(one.out, many.out);
    cJSON *object = cJSON_Parse(one.out);
    double exact = cJSON_GetNumberValue(cJSON_GetObjectItem(object, "exact_match"));
    double tokens = cJSON_GetNumberValue(cJSON_GetObjectItem(object, "token_accuracy"));
    double examples = cJSON_GetNumberValue(cJSON_GetObjectItem(object, "examples"));
    assert_int_equal(cJSON_GetArraySize(object), 3);
    assert_true(exact >= 0 && exact <= 1);
    assert_true(tokens >= 0 && tokens <= 1);
    assert_int_equal((int)examples, atoi(count));
    /* The models are shipped when they get at least 98 of 100 right. */
    if (model_is_shipped()) assert_true(exact >= 0.98 && tokens >= exact);
    cJSON_Delete(object);
    ran_free(&one);
    ran_free(&many);

    Ran words = RUN("eval", copy_model(), "--count", count);
    assert_status(&words, 0);
    assert_int_equal(count_lines(words.out), 2);
    ran_free(&words);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_line_for_each_input),
        cmocka_unit_test(test_standard_input_is_filtered_line_by_line),
        cmocka_unit_test(test_a_bad_line_is_numbered),
        cmocka_unit_test(test_json_holds_tokens_and_log_probabilities),
        cmocka_unit_test(test_beam_search),
        cmocka_unit_test(test_outputs_do_not_depend_on_threads),
        cmocka_unit_test(test_eval_tells_three_numbers),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
