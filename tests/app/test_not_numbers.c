/* A model whose weights are so large that products overflow: what is not a number is told and drawn
 * as such, and never turns into a plausible weight. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/app/helper_program.h"

/* The shipped model with each number times 1e37. A safetensors file is the size of its header in
 * eight bytes, the header, and numbers, all of them float32 and little-endian. */
static const char *overflowing_model(void) {
    const char *path = in_folder("huge.safetensors");
    if (file_exists(path)) return path;
    size_t size = 0, at = 8;
    unsigned char *bytes = (unsigned char *)file_read(copy_model(), &size);
    for (int i = 0; i < 4; i++)
        at += (size_t)bytes[i] << (8 * i);
    for (; at + 4 <= size; at += 4) {
        uint32_t bits = 0;
        for (int i = 0; i < 4; i++)
            bits |= (uint32_t)bytes[at + (size_t)i] << (8 * i);
        float number;
        memcpy(&number, &bits, sizeof number);
        number *= 1e37F;
        memcpy(&bits, &number, sizeof bits);
        for (int i = 0; i < 4; i++)
            bytes[at + (size_t)i] = (unsigned char)(bits >> (8 * i));
    }
    file_write(path, bytes, size);
    free(bytes);
    return path;
}

static int count_of(const char *text, const char *part) {
    int count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        count++;
    return count;
}

static void test_run_says_so(void **state) {
    (void)state;
    const char *const ways[] = {"1", "3"};
    for (int i = 0; i < 2; i++) {
        Ran ran = RUN("run", overflowing_model(), "--input", "42", "--beam", ways[i]);
        assert_status(&ran, 1);
        assert_string_equal(ran.out, "");
        assert_int_equal(count_lines(ran.err), 1);
        assert_non_null(strstr(ran.err, "not a number"));
        ran_free(&ran);
    }
}

static void test_eval_and_ablate_count_nothing_right(void **state) {
    (void)state;
    Ran eval = RUN("eval", overflowing_model(), "--count", "7");
    assert_status(&eval, 0);
    assert_non_null(strstr(eval.out, "(0 of 7 "));
    assert_int_equal(count_lines(eval.err), 1);
    assert_non_null(strstr(eval.err, "7 of 7 outputs are not numbers"));
    ran_free(&eval);
    Ran ablate = RUN("ablate", overflowing_model(), "--count", "3");
    assert_status(&ablate, 0);
    assert_non_null(strstr(ablate.out, "not a number"));
    assert_non_null(strstr(ablate.out, "exact match 0.0000, forced accuracy 0.0000"));
    assert_null(strstr(ablate.out, "-nan"));
    ran_free(&ablate);
}

static void test_heads_have_no_figures(void **state) {
    (void)state;
    Ran ran = RUN("heads", overflowing_model(), "--count", "3");
    assert_status(&ran, 0);
    assert_int_equal(count_of(ran.out, "not a number"), count_lines(ran.out) - 2);
    assert_null(strstr(ran.out, "nan"));
    ran_free(&ran);
}

/* Each row of the CSV ends in its weight and whether it is masked: nan,0 or 0,1. */
static void test_exported_weights(void **state) {
    (void)state;
    const char *csv = in_folder("maps.csv"), *json = in_folder("maps.json");
    MUST_RUN("export", overflowing_model(), "--input", "4", "--data", csv, "-o",
             in_folder("a.svg"));
    char *text = file_read(csv, NULL);
    int rows = count_lines(text) - 1;
    assert_true(rows > 0);
    assert_int_equal(count_of(text, ",nan,0\n") + count_of(text, ",0,1\n"), rows);
    assert_true(count_of(text, ",nan,0\n") > 0);
    free(text);
    MUST_RUN("export", overflowing_model(), "--input", "4", "--data", json, "-o",
             in_folder("b.svg"));
    text = file_read(json, NULL);
    assert_null(strstr(text, "nan"));
    assert_non_null(strstr(text, "[null,"));
    free(text);
}

/* Two lines in the colour of alarm cross out each cell that is no number; the same picture of the
 * model itself has none. */
static void test_drawn_cells(void **state) {
    (void)state;
    const char *paths[] = {copy_model(), overflowing_model()};
    int crosses[2];
    for (int i = 0; i < 2; i++) {
        const char *path = in_folder("maps.svg");
        MUST_RUN("export", paths[i], "--input", "4", "--site", "encoder", "-o", path);
        char *text = file_read(path, NULL);
        crosses[i] = count_of(text, "stroke=\"#d92d20\"");
        free(text);
    }
    assert_int_equal(crosses[0], 0);
    assert_true(crosses[1] > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run_says_so),
        cmocka_unit_test(test_eval_and_ablate_count_nothing_right),
        cmocka_unit_test(test_heads_have_no_figures),
        cmocka_unit_test(test_exported_weights),
        cmocka_unit_test(test_drawn_cells),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
