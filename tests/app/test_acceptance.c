/* The commands toy and acceptance: files, exit statuses, and one line for what cannot be read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/app/helper_program.h"

/* Exit status 2, one line that holds the words, nothing on standard output. */
static void assert_refused(Ran ran, const char *words) {
    assert_status(&ran, 2);
    if (!strstr(ran.err, words)) fail_msg("no \"%s\" in: %s", words, ran.err);
    assert_int_equal(count_lines(ran.err), 1);
    assert_string_equal(ran.out, "");
    ran_free(&ran);
}

/* Safetensors by hand: a header and float32 numbers, all `value`. */
static void write_tensor(const char *path, const char *name, const char *shape, int count,
                         float value) {
    char header[256];
    int length = snprintf(header, sizeof header,
                          "{\"%s\":{\"dtype\":\"F32\",\"shape\":%s,\"data_offsets\":[0,%d]}}", name,
                          shape, 4 * count);
    size_t size = 8 + (size_t)length + 4 * (size_t)count;
    unsigned char *bytes = calloc(1, size);
    assert_non_null(bytes);
    bytes[0] = (unsigned char)length; /* below 256, little-endian */
    memcpy(bytes + 8, header, (size_t)length);
    for (int i = 0; i < count; i++)
        memcpy(bytes + 8 + length + 4 * i, &value, sizeof value);
    file_write(path, bytes, size);
    free(bytes);
}

static void test_acceptance(void **state) {
    (void)state;
    static const char *const presets[] = {"d2l", "d2l-self", "trentorch", "udl"};
    for (int i = 0; i < 4; i++) {
        Ran ran = RUN("acceptance", "--preset", presets[i], "--seed", "3");
        assert_status(&ran, 0);
        assert_string_equal(ran.err, "");
        assert_non_null(strstr(ran.out, "Why ones alone prove little"));
        assert_non_null(strstr(ran.out, "All checks passed."));
        assert_null(strstr(ran.out, "FAILED"));
        ran_free(&ran);
    }
}

/* The same seed gives the same bytes; a name decides the format; ones keep the projections. */
static void test_toys(void **state) {
    (void)state;
    const char *npz = in_folder("a.npz"), *again = in_folder("b.npz");
    Ran ran = RUN("toy", "--preset", "trentorch", "-o", npz);
    assert_status(&ran, 0);
    assert_non_null(strstr(ran.out, "x_query      (2, 5, 64)"));
    assert_non_null(strstr(ran.out, "valid_lens   [5, 3]"));
    assert_null(strstr(ran.out, "x_key_value"));
    ran_free(&ran);
    MUST_RUN("toy", "--preset", "trentorch", "-o", again);
    assert_same_files(npz, again);
    MUST_RUN("toy", "--ones", "-o", in_folder("c.safetensors"));
    size_t size;
    char *bytes = file_read(in_folder("c.safetensors"), &size);
    assert_int_equal(bytes[8], '{');
    free(bytes);
    bytes = file_read(npz, &size);
    assert_memory_equal(bytes, "PK", 2);
    free(bytes);
    assert_int_equal(count_files(test_folder, ""), 3);
}

static void test_toy_refusals(void **state) {
    (void)state;
    assert_refused(RUN("toy"), "-o toy.npz");
    assert_refused(RUN("toy", "-o", in_folder("toy.pt")), ".npz or .safetensors");
    assert_refused(RUN("toy", "--preset", "bert", "-o", in_folder("toy.npz")),
                   "d2l, d2l-self, trentorch or udl");
    assert_refused(RUN("toy", "toy.npz"), "one word too many");
    Ran ran = RUN("toy", "-o", in_folder("none/toy.npz"));
    assert_status(&ran, 1);
    assert_int_equal(count_lines(ran.err), 1);
    ran_free(&ran);
    assert_int_equal(count_files(test_folder, ""), 0);
}

/* A toy answers nothing itself; a dump of the wrong numbers or of a wrong shape fails. */
static void test_dumps(void **state) {
    (void)state;
    const char *toy = in_folder("toy.npz"), *mine = in_folder("mine.safetensors");
    MUST_RUN("toy", "-o", toy);
    write_tensor(mine, "output", "[2,4,100]", 800, 1);
    Ran ran = RUN("acceptance", "--toy", toy, "--dump", mine);
    assert_status(&ran, 1);
    assert_string_equal(ran.err, "");
    assert_non_null(strstr(ran.out, "output-shape"));
    assert_non_null(strstr(ran.out, "1 of 11 checks passed, 1 failed, 9 not checked."));
    ran_free(&ran);
    ran = RUN("acceptance", "--preset", "d2l-self", "--dump", mine);
    assert_status(&ran, 1);
    ran_free(&ran);

    write_tensor(mine, "output", "[2,4,20]", 160, 1);
    ran = RUN("acceptance", "--dump", mine);
    assert_status(&ran, 1);
    assert_non_null(strstr(ran.out, "(2, 4, 20), not"));
    ran_free(&ran);

    /* On the toy of ones a uniform map is right. */
    write_tensor(mine, "weights", "[1,2,6,6]", 72, 1.0F / 6);
    ran = RUN("acceptance", "--preset", "udl", "--ones", "--dump", mine);
    assert_status(&ran, 0);
    assert_non_null(strstr(ran.out, ", 0 failed, "));
    ran_free(&ran);
    ran = RUN("acceptance", "--preset", "udl", "--dump", mine);
    assert_status(&ran, 1);
    ran_free(&ran);
}

static void test_bad_files(void **state) {
    (void)state;
    const char *mine = in_folder("mine.npz"), *toy = in_folder("toy.npz");
    assert_refused(RUN("acceptance", "--dump", mine), "mine.npz");
    assert_refused(RUN("acceptance", "--toy", toy), "--dump");
    file_write(mine, "hello", 5);
    assert_refused(RUN("acceptance", "--dump", mine), "mine.npz");
    file_write(mine, "", 0);
    assert_refused(RUN("acceptance", "--dump", mine), "mine.npz");
    write_tensor(mine, "scores", "[2,4,100]", 800, 1);
    assert_refused(RUN("acceptance", "--dump", mine), "none of output, weights and context");
    assert_refused(RUN("acceptance", "--toy", mine, "--dump", mine), "there is no x_query");

    /* Cut short anywhere, a toy is refused in one line. */
    MUST_RUN("toy", "--preset", "udl", "-o", toy);
    size_t size;
    char *bytes = file_read(toy, &size);
    for (size_t cut = 1; cut < 8; cut++) {
        file_write(toy, bytes, size * cut / 8);
        assert_refused(RUN("acceptance", "--toy", toy, "--dump", mine), "toy.npz");
    }
    free(bytes);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_acceptance), IN_FOLDER(test_toys),      IN_FOLDER(test_toy_refusals),
        IN_FOLDER(test_dumps),      IN_FOLDER(test_bad_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
