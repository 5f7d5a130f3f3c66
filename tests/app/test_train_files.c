/* The command train and its files: what is there is not lost, nor is what was asked for and cannot
 * be written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/app/helper_program.h"

/* Fails at its second step, and leaves its interrupted run. */
#define FAILING "--learning-rate", "1e30", "--warmup", "0", "--clip", "0"

/* Of long runs: more than any test waits for. */
#define ENDLESS "--steps", "90000000"

static void wait_for_file(const char *path) {
    for (int i = 0; i < 3000 && !file_exists(path); i++)
        wait_milliseconds(10);
    assert_true(file_exists(path));
}

static long size_of(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 ? (long)status.st_size : 0;
}

/* Waits until a log has grown by some steps. */
static void wait_for_steps(const char *log) {
    long before = size_of(log);
    for (int i = 0; i < 3000 && size_of(log) < before + 1000; i++)
        wait_milliseconds(10);
    assert_true(size_of(log) >= before + 1000);
}

/* One line that holds these words, and the status; frees the rest. */
static void assert_said(Ran ran, int status, const char *words) {
    assert_status(&ran, status);
    if (count_lines(ran.err) != 1 || !strstr(ran.err, words))
        fail_msg("'%s' is no line with '%s'", ran.err, words);
    ran_free(&ran);
}

static void interrupted_run(const char *path) {
    Ran ran = RUN("train", "copy", "--steps", "50", TINY, "-o", path, FAILING);
    assert_status(&ran, 1);
    ran_free(&ran);
}

/* --- a run that is there ---------------------------------------------------------------------- */

static void test_an_interrupted_run_is_not_overwritten(void **state) {
    (void)state;
    char words[400];
    interrupted_run(in_folder("m"));
    file_write(in_folder("kept"), "", 0);
    char *before = file_read(in_folder("m.run"), NULL);
    file_write(in_folder("log"), "log\n", 4);
    snprintf(words, sizeof words,
             "headscope train: %s is an interrupted run at step 0: --resume, or remove it\n",
             in_folder("m.run"));
    assert_said(
        RUN("train", "copy", "--steps", "5", TINY, "-o", in_folder("m"), "--log", in_folder("log")),
        1, words);
    assert_said(RUN("train", "sort", "--steps", "5", TINY, "-o", in_folder("m")), 1, words);
    setenv("SDL_VIDEODRIVER", "dummy", 1);
    assert_said(RUN("train", "copy", "--steps", "5", TINY, "--watch", "-o", in_folder("m")), 1,
                words);
    unsetenv("SDL_VIDEODRIVER");
    size_t size;
    char *after = file_read(in_folder("m.run"), &size);
    assert_memory_equal(before, after, size);
    assert_int_equal(size_of(in_folder("log")), 4);
    assert_int_equal(count_files(test_folder, ""), 3);
    free(before);
    free(after);
    assert_int_equal(unlink(in_folder("m.run")), 0);
    MUST_RUN("train", "copy", "--steps", "5", TINY, "-o", in_folder("m"));
}

static void test_another_file_in_the_runs_place_stays(void **state) {
    (void)state;
    file_write(in_folder("m.run"), "my notes", 8);
    assert_said(RUN("train", "copy", "--steps", "5", TINY, "-o", in_folder("m")), 1, "remove it");
    assert_int_equal(size_of(in_folder("m.run")), 8);
    assert_int_equal(count_files(test_folder, ""), 1);
}

/* The second training of a file is refused while the first lives, resumed or not, watched or not,
 * and not when it has been killed. */
static void test_a_run_is_locked(void **state) {
    (void)state;
    const char *const words[] = {"train", "copy", ENDLESS, TINY, "-o", in_folder("m"), NULL};
    pid_t first = program_start(words, NULL);
    char process[40];
    snprintf(process, sizeof process, "process %ld is writing it", (long)first);
    wait_for_file(in_folder("m.run"));
    /* Its output is in the files of program_start: the second is run by the shell. */
    char command[800], line[400] = "";
    static const char *const seconds[] = {"--steps 5", "--resume", "--steps 5 --watch",
                                          "--steps 5"};
    static const char *const names[] = {"m", "m", "m", "link"};
    assert_int_equal(symlink("m", in_folder("link")), 0);
    for (int i = 0; i < 4; i++) {
        snprintf(command, sizeof command,
                 "SDL_VIDEODRIVER=dummy %s train copy %s -o %s 2>&1 >/dev/null; echo $?",
                 program_path(), seconds[i], in_folder(names[i]));
        FILE *second = popen(command, "r");
        assert_non_null(second);
        size_t length = fread(line, 1, sizeof line - 1, second);
        line[length] = '\0';
        pclose(second);
        if (!strstr(line, process) || count_lines(line) != 2 || !strstr(line, "\n1\n"))
            fail_msg("%s: '%s'", seconds[i], line);
    }
    kill(first, SIGKILL);
    Ran ran = program_wait(first);
    ran_free(&ran);
    const char *const again[] = {"train",        "copy",  "--resume",       "-o",
                                 in_folder("m"), "--log", in_folder("log"), NULL};
    pid_t resumed = program_start(again, NULL);
    wait_for_file(in_folder("log"));
    wait_for_steps(in_folder("log"));
    kill(resumed, SIGTERM);
    ran = program_wait(resumed);
    assert_status(&ran, 1);
    assert_non_null(strstr(ran.err, "stopped at step"));
    ran_free(&ran);
    assert_int_equal(count_files(test_folder, ".lock"), 0);
    assert_int_equal(count_files(test_folder, ".part"), 0);
}

/* --- names that cannot be written ------------------------------------------------------------- */

/* Refused before anything is done; the folder stays as it is. */
static void assert_name_refused(int status, const char *name, const char *option, const char *value,
                                const char *words) {
    int before = count_files(test_folder, "");
    time_t begun = time(NULL);
    assert_said(RUN("train", "copy", ENDLESS, TINY, "-o", name, option, value), status, words);
    assert_true(time(NULL) - begun < 30);
    assert_int_equal(count_files(test_folder, ""), before);
}

static void test_bad_names_are_refused_before_the_work(void **state) {
    (void)state;
    static const char *const folders[] = {"d", "r.run", "s.run.snapshots",
                                          "t.snapshots.safetensors"};
    for (int i = 0; i < 4; i++)
        assert_int_equal(mkdir(in_folder(folders[i]), 0777), 0);
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    assert_name_refused(1, in_folder("d"), "--seed", "1", "/d: is a folder");
    assert_name_refused(1, in_folder("r"), "--seed", "1", "/r.run: is a folder");
    assert_name_refused(1, in_folder("s"), "--snapshots", "3", "/s.run.snapshots: is a folder");
    assert_name_refused(1, in_folder("t.safetensors"), "--snapshots", "3",
                        "/t.snapshots.safetensors: is a folder");
    assert_name_refused(1, in_folder("no/m"), "--seed", "1", "/no/m: cannot be written: No such");
    assert_name_refused(1, in_folder("pipe"), "--seed", "1", "/pipe: is a device or a pipe");
    assert_int_equal(mkfifo(in_folder("v.snapshots.safetensors"), 0600), 0);
    assert_name_refused(1, in_folder("v"), "--snapshots", "3", "is a device or a pipe");
    assert_name_refused(1, "/dev/null", "--seed", "1", "/dev/null: is a device or a pipe");
    assert_name_refused(1, "/dev/stdout", "--seed", "1", "/dev/stdout: is a device or a pipe");
    assert_name_refused(1, in_folder("m"), "--log", in_folder("d"), "/d: is a folder");
    assert_name_refused(2, in_folder("m"), "--log", in_folder("m"), "/m: the training writes");
    assert_name_refused(2, in_folder("m"), "--log", in_folder("m.run"), "/m.run: the training");
    /* Of a run that is gone on with, too. */
    Ran ran = RUN("train", "copy", "--steps", "50", TINY, "-o", in_folder("u"), "--snapshots", "3",
                  FAILING);
    ran_free(&ran);
    assert_int_equal(mkdir(in_folder("u.snapshots.safetensors"), 0777), 0);
    assert_said(RUN("train", "copy", "--resume", "-o", in_folder("u")), 1, "is a folder");
}

/* 250 bytes, which leave no room for the endings of locks and partial files. */
static void test_a_long_name_works(void **state) {
    (void)state;
    char path[400];
    size_t folder = (size_t)snprintf(path, sizeof path, "%s/", test_folder);
    memset(path + folder, 'n', 250);
    path[folder + 250] = '\0';
    interrupted_run(path);
    assert_said(RUN("train", "copy", "--steps", "5", TINY, "-o", path), 1, "interrupted run");
    assert_int_equal(count_files(test_folder, ".run"), 1);
    assert_int_equal(count_files(test_folder, ""), 1);
    memset(path + folder, 'm', 250);
    MUST_RUN("train", "copy", "--steps", "5", TINY, "-o", path);
    assert_true(size_of(path) > 0);
    assert_int_equal(count_files(test_folder, ""), 2);
    memcpy(path + folder + 250, "mmm", 4); /* no room for .run */
    assert_said(RUN("train", "copy", "--steps", "5", TINY, "-o", path), 1, "too long");
    assert_int_equal(count_files(test_folder, ""), 2);
}

/* --- how it ends ------------------------------------------------------------------------------ */

/* Starts an endless run, with its log, and waits for some steps. */
static pid_t start_endless(const char *option) {
    const char *const words[] = {"train",   "copy",         ENDLESS, TINY,
                                 "-o",      in_folder("m"), "--log", in_folder("log"),
                                 "--every", "90000000",     option,  NULL};
    pid_t child = program_start(words, NULL);
    wait_for_file(in_folder("log"));
    wait_for_steps(in_folder("log"));
    return child;
}

/* The steps of the saved run, from its header. */
static int saved_step(void) {
    size_t size;
    char *run = file_read(in_folder("m.run"), &size);
    const char *step = strstr(run + 8, "\"step\":\"");
    assert_non_null(step);
    int steps = atoi(step + strlen("\"step\":\""));
    free(run);
    return steps;
}

static void test_the_end_of_the_terminal_saves(void **state) {
    (void)state;
    signal(SIGHUP, SIG_DFL); /* these tests may run under nohup themselves */
    pid_t child = start_endless(NULL);
    kill(child, SIGHUP);
    kill(child, SIGHUP); /* a shell may send its own */
    Ran ran = program_wait(child);
    assert_status(&ran, 1);
    assert_non_null(strstr(ran.err, "stopped at step"));
    ran_free(&ran);
    assert_true(saved_step() > 10);
}

static void test_nohup_stays(void **state) {
    (void)state;
    signal(SIGHUP, SIG_IGN); /* inherited */
    pid_t child = start_endless(NULL);
    kill(child, SIGHUP);
    wait_for_steps(in_folder("log"));
    kill(child, SIGINT);
    Ran ran = program_wait(child);
    signal(SIGHUP, SIG_DFL);
    assert_status(&ran, 1);
    ran_free(&ran);
    assert_true(saved_step() > 20);
}

/* A window that is closed early says which model there is not, by any signal. */
static void test_a_watched_run_that_is_closed_early(void **state) {
    (void)state;
    static const int signals[] = {SIGTERM, SIGHUP};
    setenv("SDL_VIDEODRIVER", "dummy", 1);
    for (int i = 0; i < 2; i++) {
        pid_t child = start_endless("--watch");
        kill(child, signals[i]);
        Ran ran = program_wait(child);
        assert_status(&ran, 1);
        char words[300];
        snprintf(words, sizeof words, "headscope train: %s is not written: the run was stopped",
                 in_folder("m"));
        assert_int_equal(count_lines(ran.err), 1);
        assert_non_null(strstr(ran.err, words));
        assert_non_null(strstr(ran.err, "--resume"));
        ran_free(&ran);
        assert_true(saved_step() > 10);
        assert_false(file_exists(in_folder("m")));
        assert_int_equal(unlink(in_folder("m.run")), 0);
        assert_int_equal(unlink(in_folder("log")), 0);
    }
    unsetenv("SDL_VIDEODRIVER");
}

static void test_a_watched_run_that_is_done(void **state) {
    (void)state;
    setenv("SDL_VIDEODRIVER", "dummy", 1);
    const char *const words[] = {"train", "copy",         "--steps", "20", TINY,
                                 "-o",    in_folder("m"), "--watch", NULL};
    pid_t child = program_start(words, NULL);
    wait_for_file(in_folder("m"));
    for (int i = 0; i < 3000 && file_exists(in_folder("m.run")); i++)
        wait_milliseconds(10);
    wait_milliseconds(200);
    kill(child, SIGTERM);
    Ran ran = program_wait(child);
    unsetenv("SDL_VIDEODRIVER");
    assert_status(&ran, 0);
    assert_string_equal(ran.err, "");
    ran_free(&ran);
    assert_int_equal(count_files(test_folder, ""), 1);
}

/* The model's place is taken while the run lasts: its last step is kept, and --resume writes it. */
static void test_a_model_that_cannot_be_written_after_all(void **state) {
    (void)state;
    const char *const words[] = {
        "train",        "copy",  "--steps",        "1000",    TINY,   "-o",
        in_folder("m"), "--log", in_folder("log"), "--every", "5000", NULL};
    pid_t child = program_start(words, NULL);
    wait_for_file(in_folder("log"));
    assert_int_equal(mkdir(in_folder("m"), 0777), 0);
    Ran ran = program_wait(child);
    assert_status(&ran, 1);
    assert_non_null(strstr(ran.err, "/m: is a folder"));
    assert_non_null(strstr(ran.err, "--resume"));
    ran_free(&ran);
    assert_int_equal(saved_step(), 1000);
    assert_int_equal(rmdir(in_folder("m")), 0);
    MUST_RUN("train", "copy", "--resume", "-o", in_folder("m"));
    MUST_RUN("run", in_folder("m"), "--input", "12");
    assert_int_equal(count_files(test_folder, ""), 2);
}

/* Who reads the progress may go. */
static void test_a_reader_that_leaves(void **state) {
    (void)state;
    char command[600];
    snprintf(command, sizeof command,
             "%s train copy --steps 300 --every 10 --width 16 --heads 2 --batch 8 -o %s 2>&1 "
             ">/dev/null | head -c 1 >/dev/null",
             program_path(), in_folder("m"));
    assert_int_equal(system(command), 0);
    wait_for_file(in_folder("m"));
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_an_interrupted_run_is_not_overwritten),
        IN_FOLDER(test_another_file_in_the_runs_place_stays),
        IN_FOLDER(test_a_run_is_locked),
        IN_FOLDER(test_bad_names_are_refused_before_the_work),
        IN_FOLDER(test_a_long_name_works),
        IN_FOLDER(test_the_end_of_the_terminal_saves),
        IN_FOLDER(test_nohup_stays),
        IN_FOLDER(test_a_watched_run_that_is_closed_early),
        IN_FOLDER(test_a_watched_run_that_is_done),
        IN_FOLDER(test_a_model_that_cannot_be_written_after_all),
        IN_FOLDER(test_a_reader_that_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
