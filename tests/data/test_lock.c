/* Locks between processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/wait.h>

#include "data/files/lock.h"
#include "tests/data/helper_files.h"

static void test_one_at_a_time(void **state) {
    (void)state;
    Lock first, second;
    Error error = {0};
    char words[64];
    assert_true(lock_take(&first, in_folder("f"), &error));
    assert_int_equal(access(in_folder("f.lock"), F_OK), 0);
    assert_int_not_equal(access(in_folder("f"), F_OK), 0);
    assert_false(lock_take(&second, in_folder("f"), &error));
    assert_one_line(&error);
    snprintf(words, sizeof words, "/f: process %ld is writing it", (long)getpid());
    assert_non_null(strstr(error.text, words));
    assert_true(lock_take(&second, in_folder("g"), &error));
    lock_release(&second);
    lock_release(&second);                                /* {0} */
    assert_int_equal(symlink("f", in_folder("link")), 0); /* the same file */
    assert_false(lock_take(&second, in_folder("link"), &error));
    lock_release(&first);
    assert_int_not_equal(access(in_folder("f.lock"), F_OK), 0);
    assert_true(lock_take(&second, in_folder("f"), &error));
    lock_release(&second);
    assert_int_equal(folder_entries(test_folder, false), 1);
    assert_false(lock_take(&first, in_folder("none/f"), &error));
    assert_one_line(&error);
}

/* The file of a killed process is no lock. Nor is one that somebody made, but a link is not
 * followed. */
static void test_files_without_a_holder(void **state) {
    (void)state;
    Lock lock;
    Error error = {0};
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        bool taken = lock_take(&lock, in_folder("f"), &error);
        raise(taken ? SIGKILL : SIGTERM);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WTERMSIG(status), SIGKILL);
    assert_int_equal(access(in_folder("f.lock"), F_OK), 0);
    assert_true(lock_take(&lock, in_folder("f"), &error));
    lock_release(&lock);
    write_bytes(in_folder("f.lock"), "?", 1);
    assert_true(lock_take(&lock, in_folder("f"), &error));
    lock_release(&lock);
    assert_int_equal(symlink("target", in_folder("f.lock")), 0);
    assert_false(lock_take(&lock, in_folder("f"), &error));
    assert_int_not_equal(access(in_folder("target"), F_OK), 0);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_one_at_a_time),
        IN_FOLDER(test_files_without_a_holder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
