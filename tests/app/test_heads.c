/* The command heads: figures of all heads as a table, CSV and JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cjson/cJSON.h>
#include <math.h>

#include "tests/app/helper_program.h"

static const char *const FIGURES[] = {"entropy", "spread", "distance", "largest", "previous",
                                      "self",    "next",   "first",    "last",    "diagonal"};
enum { FIGURES_COUNT = 10 };

static cJSON *parsed(Ran *ran) {
    assert_status(ran, 0);
    cJSON *object = cJSON_Parse(ran->out);
    assert_true(cJSON_IsObject(object));
    ran_free(ran);
    return object;
}

static const cJSON *entry(const cJSON *object, const char *name) {
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!found) fail_msg("no entry %s", name);
    return found;
}

static bool is_figure_of(const char *site, const char *figure) {
    bool cross = strcmp(site, "cross") == 0, decoder = strcmp(site, "decoder") == 0;
    if (strcmp(figure, "diagonal") == 0) return cross;
    if (strcmp(figure, "next") == 0) return !cross && !decoder;
    if (strcmp(figure, "last") == 0) return !decoder;
    bool of_self = strcmp(figure, "distance") == 0 || strcmp(figure, "previous") == 0 ||
                   strcmp(figure, "self") == 0;
    return !(of_self && cross);
}

/* null where a figure means nothing, else a number with its error. */
static void test_json(void **state) {
    (void)state;
    Ran ran = RUN("heads", copy_model(), "--count", "7", "--json");
    cJSON *object = parsed(&ran);
    assert_true(entry(object, "examples")->valuedouble == 7);
    assert_string_equal(entry(object, "texts")->valuestring, "7 held-out examples of copy");
    const cJSON *heads = entry(object, "heads"), *head;
    assert_true(cJSON_GetArraySize(heads) >= 6);
    cJSON_ArrayForEach(head, heads) {
        const char *site = entry(head, "site")->valuestring;
        char name[64], error[32];
        snprintf(name, sizeof name, "%s.%d.%d", site, entry(head, "layer")->valueint,
                 entry(head, "index")->valueint);
        assert_string_equal(entry(head, "head")->valuestring, name);
        for (int i = 0; i < FIGURES_COUNT; i++) {
            bool wanted = is_figure_of(site, FIGURES[i]);
            snprintf(error, sizeof error, "%s_error", FIGURES[i]);
            assert_int_equal(cJSON_IsNumber(entry(head, FIGURES[i])), wanted);
            assert_int_equal(cJSON_IsNull(entry(head, FIGURES[i])), !wanted);
            assert_int_equal(cJSON_IsNumber(entry(head, error)), wanted);
        }
        assert_true(cJSON_IsString(entry(head, "label")));
    }
    cJSON_Delete(object);
}

/* Over one text there is no error to be had; over two texts there is the mean. */
static void test_inputs(void **state) {
    (void)state;
    double means[3][FIGURES_COUNT];
    for (int run = 0; run < 3; run++) {
        Ran ran = run == 0 ? RUN("heads", copy_model(), "--json", "--input", "4a")
                  : run == 1
                      ? RUN("heads", copy_model(), "--json", "--input", "bad0")
                      : RUN("heads", copy_model(), "--json", "--input", "4a", "--input", "bad0");
        cJSON *object = parsed(&ran);
        const cJSON *head = cJSON_GetArrayItem(entry(object, "heads"), 0);
        for (int i = 0; i < FIGURES_COUNT; i++) {
            const cJSON *value = entry(head, FIGURES[i]);
            means[run][i] = cJSON_IsNull(value) ? NAN : value->valuedouble;
        }
        assert_int_equal(cJSON_IsNull(entry(head, "entropy_error")), run < 2);
        cJSON_Delete(object);
    }
    for (int i = 0; i < FIGURES_COUNT; i++) {
        double wanted = (means[0][i] + means[1][i]) / 2;
        assert_int_equal(isnan(means[2][i]), isnan(wanted));
        /* Padded to another length, the passes round otherwise. */
        if (!isnan(wanted)) assert_true(fabs(means[2][i] - wanted) < 1e-5);
    }
}

static int count_commas(const char *line) {
    int count = 0;
    for (; *line && *line != '\n'; line++)
        count += *line == ',';
    return count;
}

/* Every line has as many fields as the first; a blank is an empty field. */
static void test_csv(void **state) {
    (void)state;
    Ran ran = RUN("heads", copy_model(), "--count", "5", "--csv");
    assert_status(&ran, 0);
    assert_true(strncmp(ran.out, "site,layer,head,examples,entropy,entropy_error,", 47) == 0);
    int commas = count_commas(ran.out), lines = 0;
    for (const char *line = ran.out; *line; line = strchr(line, '\n') + 1, lines++)
        assert_int_equal(count_commas(line), commas);
    assert_true(lines >= 7);
    assert_non_null(strstr(ran.out, "\ncross,0,0,5,"));
    assert_non_null(strstr(ran.out, ",,,"));
    assert_null(strstr(ran.out, "nan"));
    ran_free(&ran);
}

static void test_table(void **state) {
    (void)state;
    Ran all = RUN("heads", copy_model(), "--count", "5");
    Ran cross = RUN("heads", copy_model(), "--count", "5", "--site", "cross");
    assert_status(&all, 0);
    assert_status(&cross, 0);
    assert_int_equal(strncmp(all.out, "5 held-out examples of copy", 27), 0);
    assert_int_equal(count_lines(all.out) - 2, 3 * (count_lines(cross.out) - 2));
    assert_null(strstr(cross.out, "encoder."));
    assert_null(strstr(all.out, "nan"));
    assert_null(strstr(all.out, " \n")); /* no spaces at the end of a line */
    ran_free(&all);
    ran_free(&cross);
}

/* The same bytes whatever the number of threads, and with the columns of ablate beside them. */
static void test_threads_and_join(void **state) {
    (void)state;
    Ran one = RUN("heads", copy_model(), "--count", "40", "--ablate", "--csv", "--threads", "1");
    Ran three = RUN("heads", copy_model(), "--count", "40", "--ablate", "--csv", "--threads", "3");
    assert_status(&one, 0);
    assert_string_equal(one.out, three.out);
    assert_non_null(strstr(one.out, ",log_prob_change,log_prob_change_error,exact_match,"));
    ran_free(&one);
    ran_free(&three);
}

static void assert_refused(Ran ran, const char *words) {
    assert_status(&ran, 2);
    if (!strstr(ran.err, words)) fail_msg("no \"%s\" in: %s", words, ran.err);
    assert_int_equal(count_lines(ran.err), 1);
    assert_string_equal(ran.out, "");
    ran_free(&ran);
}

static void test_refusals(void **state) {
    (void)state;
    const char *model = copy_model();
    assert_refused(RUN("heads", model, "--count", "5", "--input", "4a"), "leave one of them out");
    assert_refused(RUN("heads", model, "--csv", "--json"), "not both");
    assert_refused(RUN("heads", model, "--site", "here"), "encoder, decoder or cross");
    assert_refused(RUN("heads", model, "--by", "mean"), "--by goes with --ablate");
    assert_refused(RUN("heads", model, "--ablate", "--by", "noise"), "zero or mean");
    assert_refused(RUN("heads", model, "--input", "?"), "?");
    assert_refused(RUN("heads", model, "--count", "0"), "--count 0");
}

/* A model that another program trained has no task: it must be told what to read. */
static void test_model_of_no_task(void **state) {
    (void)state;
    size_t size;
    char *bytes = file_read(copy_model(), &size);
    char *task = strstr(bytes + 8, "\"task\":\"copy\"");
    assert_non_null(task);
    memcpy(task, "\"task\":\"none\"", 13);
    file_write(in_folder("none.safetensors"), bytes, size);
    free(bytes);
    assert_refused(RUN("heads", in_folder("none.safetensors")), "--input TEXT");
    assert_refused(RUN("ablate", in_folder("none.safetensors")), "--input TEXT");
    MUST_RUN("heads", in_folder("none.safetensors"), "--input", "4a");
    MUST_RUN("ablate", in_folder("none.safetensors"), "--input", "4a");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_inputs),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_model_of_no_task),
        cmocka_unit_test(test_threads_and_join),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
