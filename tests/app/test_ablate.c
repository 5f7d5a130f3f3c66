/* The command ablate: what a model loses with each head. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cjson/cJSON.h>
#include <math.h>

#include "tests/app/helper_program.h"

static cJSON *parsed(Ran *ran) {
    assert_status(ran, 0);
    cJSON *object = cJSON_Parse(ran->out);
    assert_true(cJSON_IsObject(object));
    ran_free(ran);
    return object;
}

static double number(const cJSON *object, const char *name) {
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!cJSON_IsNumber(found)) fail_msg("no number %s", name);
    return found->valuedouble;
}

/* The whole model's figures are those of run and eval. */
static void test_whole_model(void **state) {
    (void)state;
    Ran ablated = RUN("ablate", copy_model(), "--input", "4ab", "--json");
    Ran run = RUN("run", copy_model(), "--input", "4ab", "--json");
    cJSON *found = parsed(&ablated), *wanted = parsed(&run);
    /* A pass over the target, and one step at a time: other sums of floats. */
    assert_true(fabs(number(found, "log_prob") - number(wanted, "log_prob")) < 1e-4);
    assert_true(number(found, "exact_match") == 1);
    assert_true(number(found, "forced_accuracy") == 1);
    cJSON_Delete(found);
    cJSON_Delete(wanted);

    ablated = RUN("ablate", copy_model(), "--count", "50", "--json", "--site", "encoder");
    run = RUN("eval", copy_model(), "--count", "50", "--json");
    found = parsed(&ablated);
    wanted = parsed(&run);
    assert_true(number(found, "exact_match") == number(wanted, "exact_match"));
    assert_true(number(found, "examples") == 50);
    /* What is said of every token is not what eval says of what is written: it has another name. */
    assert_null(cJSON_GetObjectItem(found, "token_accuracy"));
    assert_null(cJSON_GetObjectItem(wanted, "forced_accuracy"));
    cJSON_Delete(found);
    cJSON_Delete(wanted);
}

/* Over two texts the mean is that of the two alone, and the error half their difference: what
 * stands in for a head does not depend on the texts. */
static void assert_mean_and_error(const char *by) {
    cJSON *runs[3];
    Ran ran = RUN("ablate", copy_model(), "--json", "--by", by, "--input", "4a");
    runs[0] = parsed(&ran);
    ran = RUN("ablate", copy_model(), "--json", "--by", by, "--input", "bad0");
    runs[1] = parsed(&ran);
    ran = RUN("ablate", copy_model(), "--json", "--by", by, "--input", "4a", "--input", "bad0");
    runs[2] = parsed(&ran);
    int count = cJSON_GetArraySize(cJSON_GetObjectItem(runs[0], "heads"));
    assert_true(count >= 6);
    for (int i = 0; i < count; i++) {
        const cJSON *heads[3];
        double changes[3];
        for (int j = 0; j < 3; j++) {
            heads[j] = cJSON_GetArrayItem(cJSON_GetObjectItem(runs[j], "heads"), i);
            changes[j] = number(heads[j], "log_prob_change");
        }
        assert_true(cJSON_IsNull(cJSON_GetObjectItem(heads[0], "log_prob_change_error")));
        assert_true(fabs(changes[2] - (changes[0] + changes[1]) / 2) < 1e-4);
        assert_true(fabs(number(heads[2], "log_prob_change_error") -
                         fabs(changes[0] - changes[1]) / 2) < 1e-4);
    }
    for (int j = 0; j < 3; j++)
        cJSON_Delete(runs[j]);
}

static void test_mean_and_error(void **state) {
    (void)state;
    assert_mean_and_error("zero");
    assert_mean_and_error("mean");
}

/* The number after the head's name in a line of the table. */
static double change_of(const char *line) {
    char head[32];
    double change;
    assert_int_equal(sscanf(line, "%31s %lf", head, &change), 2);
    assert_non_null(strchr(head, '.'));
    return change;
}

/* The table has the greatest loss first; CSV has the heads in their order. */
static void test_order(void **state) {
    (void)state;
    Ran table = RUN("ablate", copy_model(), "--count", "20");
    assert_status(&table, 0);
    const char *line = table.out;
    for (int skipped = 0; skipped < 3; skipped++)
        line = strchr(line, '\n') + 1;
    int heads = 0;
    double before = -INFINITY;
    double first = change_of(line);
    for (; *line; line = strchr(line, '\n') + 1, heads++) {
        double change = change_of(line);
        assert_true(change >= before);
        before = change;
    }
    assert_true(heads >= 6 && first < before);
    ran_free(&table);

    Ran csv = RUN("ablate", copy_model(), "--count", "20", "--csv");
    assert_status(&csv, 0);
    assert_int_equal(count_lines(csv.out), heads + 1);
    assert_non_null(strstr(csv.out, "\nencoder,0,0,20,"));
    assert_true(strstr(csv.out, "\nencoder,0,0,") < strstr(csv.out, "\nencoder,0,1,"));
    assert_true(strstr(csv.out, "\nencoder,0,1,") < strstr(csv.out, "\ncross,0,0,"));
    ran_free(&csv);
}

static void test_by_the_mean(void **state) {
    (void)state;
    Ran zero = RUN("ablate", copy_model(), "--count", "20", "--csv", "--by", "zero");
    Ran mean = RUN("ablate", copy_model(), "--count", "20", "--csv", "--by", "mean");
    Ran plain = RUN("ablate", copy_model(), "--count", "20", "--csv", "--threads", "1");
    assert_status(&mean, 0);
    assert_string_equal(zero.out, plain.out);
    assert_string_not_equal(zero.out, mean.out);
    ran_free(&zero);
    ran_free(&mean);
    ran_free(&plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_model),
        cmocka_unit_test(test_mean_and_error),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_by_the_mean),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
