/* Files written whole or not at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/resource.h>

#include "data/output.h"
#include "tests/data/helper_files.h"

static void assert_holds(const char *path, const char *text) {
    size_t size;
    unsigned char *bytes = read_bytes(path, &size);
    assert_int_equal(size, strlen(text));
    assert_memory_equal(bytes, text, size);
    free(bytes);
}

/* Expects a refusal that names the path and the reason. */
static void assert_refused(const char *path, const char *reason) {
    Error error = {0};
    Output output;
    assert_false(output_begin(&output, path, &error));
    assert_one_line(&error);
    if (strncmp(error.text, path, strlen(path)) != 0 || !strstr(error.text, reason))
        fail_msg("'%s' lacks '%s'", error.text, reason);
    output_abandon(&output);
}

static void test_appears_at_commit(void **state) {
    (void)state;
    const char *path = in_folder("f");
    Error error = {0};
    Output output;
    write_bytes(path, "old", 3);
    assert_true(output_begin(&output, path, &error));
    fputs("new", output.stream);
    fflush(output.stream);
    assert_holds(path, "old");
    assert_true(output_commit(&output, &error));
    assert_holds(path, "new");
    assert_int_equal(folder_entries(test_folder, false), 1);
    assert_null(output.stream);
    assert_true(output_write(path, "", 0, &error));
    assert_holds(path, "");
}

static void test_abandoned(void **state) {
    (void)state;
    Error error = {0};
    Output output = {0};
    output_abandon(&output);
    assert_true(output_begin(&output, in_folder("new"), &error));
    fputs("half", output.stream);
    output_abandon(&output);
    assert_int_equal(folder_entries(test_folder, false), 0);
    write_bytes(in_folder("f"), "old", 3);
    assert_true(output_begin(&output, in_folder("f"), &error));
    fputs("half", output.stream);
    output_abandon(&output);
    assert_holds(in_folder("f"), "old");
    assert_int_equal(folder_entries(test_folder, false), 1);
}

static void test_places_that_take_no_file(void **state) {
    (void)state;
    assert_refused(in_folder("none/f"), "No such file");
    write_bytes(in_folder("f"), "old", 3);
    assert_refused(in_folder("f/g"), "Not a directory");
    assert_refused(test_folder, "is a folder");
    assert_refused("", "name is empty");
    assert_holds(in_folder("f"), "old");
    assert_int_equal(folder_entries(test_folder, false), 1);
}

/* Writes `size` bytes where a file may have 4096: as on a disk that is full. */
static bool write_limited(const char *path, size_t size, Error *error) {
    struct rlimit before, limit;
    char *bytes = calloc(size, 1);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = (struct rlimit){4096, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    bool written = output_write(path, bytes, size, error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    free(bytes);
    return written;
}

static void test_full_disk(void **state) {
    (void)state;
    static const size_t sizes[] = {4097, 100000}; /* fails when flushed; fails while written */
    write_bytes(in_folder("f"), "old", 3);
    for (int i = 0; i < 2; i++) {
        Error error = {0};
        assert_false(write_limited(in_folder("f"), sizes[i], &error));
        if (!strstr(error.text, "/f: cannot be written: File too large"))
            fail_msg("%s", error.text);
        assert_holds(in_folder("f"), "old");
        assert_int_equal(folder_entries(test_folder, false), 1);
    }
    Error error = {0};
    assert_true(write_limited(in_folder("f"), 4096, &error));
}

static void test_device(void **state) {
    (void)state;
    Error error = {0};
    struct stat status;
    assert_true(output_write("/dev/null", "text", 4, &error));
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    if (stat("/dev/full", &status) != 0) return; /* Linux alone has it */
    assert_false(output_write("/dev/full", "text", 4, &error));
    assert_string_equal(error.text, "/dev/full: cannot be written: No space left on device");
    assert_int_equal(stat("/dev/full", &status), 0);
}

static void test_link_stays(void **state) {
    (void)state;
    Error error = {0};
    struct stat status;
    write_bytes(in_folder("f"), "old", 3);
    assert_int_equal(symlink("f", in_folder("link")), 0);
    assert_true(output_write(in_folder("link"), "new", 3, &error));
    assert_int_equal(lstat(in_folder("link"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_holds(in_folder("f"), "new");
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_appears_at_commit),
        IN_FOLDER(test_abandoned),
        IN_FOLDER(test_places_that_take_no_file),
        IN_FOLDER(test_full_disk),
        IN_FOLDER(test_device),
        IN_FOLDER(test_link_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
