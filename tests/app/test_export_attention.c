/* export of attention that another program saved: pictures, data, and what it must be told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/app/helper_program.h"

/* An npy of float32. */
static const char *write_npy(const char *name, const char *shape, const float *data, int count) {
    const char *path = in_folder(name);
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    char header[160];
    int length = snprintf(header, sizeof header,
                          "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }\n", shape);
    fwrite("\x93NUMPY\x01\x00", 1, 8, stream);
    fputc(length, stream);
    fputc(0, stream);
    fwrite(header, 1, (size_t)length, stream);
    fwrite(data, sizeof *data, (size_t)count, stream);
    assert_int_equal(fclose(stream), 0);
    return path;
}

static const float causal[8] = {1, 0, 0.25F, 0.75F, 1, 0, 0.5F, 0.5F};

static void test_a_sheet_and_its_data(void **state) {
    (void)state;
    const char *path = write_npy("mine.npy", "(1, 2, 2, 2)", causal, 8);
    const char *csv = in_folder("w.csv");
    size_t size;
    MUST_RUN("export", path, "-o", in_folder("s.png"), "--data", csv);
    char *png = file_read(in_folder("s.png"), &size);
    assert_true(size > 1000);
    assert_memory_equal(png, "\x89PNG", 4);
    char *text = file_read(csv, &size);
    assert_non_null(strstr(text, "\ndecoder,0,0,0,1,\"0\",\"\",\"1\",0,1\n"));
    assert_non_null(strstr(text, "\ndecoder,0,0,1,0,\"1\",\"\",\"0\",0.25,0\n"));
    free(png);
    free(text);
}

/* A file without tokens, or with those of one side, becomes data of every kind. */
static void test_data_without_both_lists_of_tokens(void **state) {
    (void)state;
    static const char *const endings[] = {"b.npz", "b.safetensors", "b.json", "b.csv"};
    static const char list[] = "{\"decoder_tokens\":[\"x\",\"y\"]}";
    write_npy("square.npy", "(1, 2, 2, 2)", causal, 8);
    file_write(in_folder("one.json"), list, sizeof list - 1);
    for (int i = 0; i < 4; i++) {
        MUST_RUN("export", in_folder("square.npy"), "--data", in_folder(endings[i]));
        MUST_RUN("export", in_folder("square.npy"), "--tokens", in_folder("one.json"), "--data",
                 in_folder(endings[i]));
    }
}

/* The weights that export wrote from a model are drawn as the same maps: their CSV is the same. */
static void test_our_own_data_comes_back(void **state) {
    (void)state;
    static const char *const endings[] = {"a.npz", "a.safetensors"};
    size_t size;
    MUST_RUN("export", copy_model(), "--input", "4a", "--data", in_folder("first.csv"));
    char *first = file_read(in_folder("first.csv"), &size);
    for (int i = 0; i < 2; i++) {
        MUST_RUN("export", copy_model(), "--input", "4a", "--data", in_folder(endings[i]));
        MUST_RUN("export", in_folder(endings[i]), "--data", in_folder("second.csv"));
        char *second = file_read(in_folder("second.csv"), &size);
        assert_string_equal(first, second);
        free(second);
    }
    free(first);
}

static void assert_refused(Ran ran, int status, const char *words) {
    assert_int_equal(ran.status, status);
    assert_string_equal(ran.out, "");
    if (!strstr(ran.err, words)) fail_msg("'%s' does not say '%s'", ran.err, words);
    assert_ptr_equal(strchr(ran.err, '\n'), ran.err + strlen(ran.err) - 1);
    ran_free(&ran);
}

static void test_what_it_must_be_told(void **state) {
    (void)state;
    const char *path = write_npy("mine.npy", "(2, 4)", causal, 8), *png = in_folder("s.png");
    assert_refused(RUN("export", path, "-o", png), 2, "--site cross");
    assert_refused(RUN("export", path, "-o", png, "--input", "a"), 2, "holds attention already");
    assert_refused(RUN("export", path, "-o", png, "--site", "cross", "--head", "1"), 2, "no head");
    assert_refused(RUN("export", copy_model(), "-o", png, "--input", "4a", "--example", "0"), 2,
                   "--tokens, --example and --transpose");
    assert_refused(RUN("export", copy_model(), "-o", png), 2, "--input TEXT");
    assert_int_equal(access(png, F_OK), -1);
    Ran ran = RUN("export", path, "-o", png, "--site", "cross");
    assert_int_equal(ran.status, 0);
    assert_non_null(strstr(ran.err, "row 0 sums to 2"));
    ran_free(&ran);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_sheet_and_its_data, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_data_without_both_lists_of_tokens, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(test_our_own_data_comes_back, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_what_it_must_be_told, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
