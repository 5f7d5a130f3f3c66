/* Files written whole or not at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "data/files/output.h"
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

static mode_t mode_of(const char *path) {
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_mode & 07777;
}

/* The link is written through, whether or not there is a file at its end. */
static void test_link_to_nothing_and_in_a_circle(void **state) {
    (void)state;
    Error error = {0};
    struct stat status;
    assert_int_equal(mkdir(in_folder("d"), 0777), 0);
    assert_int_equal(symlink("d/second", in_folder("first")), 0);
    assert_int_equal(symlink("end", in_folder("d/second")), 0);
    assert_true(output_write(in_folder("first"), "new", 3, &error));
    assert_holds(in_folder("d/end"), "new");
    assert_int_equal(lstat(in_folder("first"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(lstat(in_folder("d/second"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(symlink("circle", in_folder("circle")), 0);
    assert_refused(in_folder("circle"), "symbolic links");
    folder_entries(in_folder("d"), true);
}

static void test_permissions_stay(void **state) {
    (void)state;
    Error error = {0};
    mode_t before = umask(022);
    assert_true(output_write(in_folder("new"), "a", 1, &error));
    assert_int_equal(mode_of(in_folder("new")), 0644);
    static const mode_t modes[] = {0600, 0640, 0755, 0666};
    for (int i = 0; i < 4; i++) {
        Output output;
        write_bytes(in_folder("f"), "old", 3);
        assert_int_equal(chmod(in_folder("f"), modes[i]), 0);
        assert_true(output_begin(&output, in_folder("f"), &error));
        assert_int_equal(mode_of(output.part), modes[i]); /* while it grows, too */
        assert_true(output_commit(&output, &error));
        assert_int_equal(mode_of(in_folder("f")), modes[i]);
    }
    umask(before);
}

/* Whether output_begin refuses the file so, asked by somebody who is not root. */
static void assert_refused_to_a_user(const char *path, const char *reason) {
    if (geteuid() != 0) {
        assert_refused(path, reason);
        return;
    }
    pid_t user = fork();
    assert_true(user >= 0);
    if (user == 0) {
        Output output;
        Error error = {0};
        bool refused = setgid(65534) == 0 && setuid(65534) == 0 &&
                       !output_begin(&output, path, &error) && strstr(error.text, reason);
        _exit(refused ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(user, &status, 0), user);
    if (status != 0) fail_msg("%s is not refused", path);
}

static void test_what_a_user_may_not_replace(void **state) {
    (void)state;
    write_bytes(in_folder("f"), "old", 3);
    assert_int_equal(chmod(in_folder("f"), 0444), 0);
    assert_int_equal(chmod(test_folder, 0777), 0);
    assert_refused_to_a_user(in_folder("f"), "Permission denied");
    if (geteuid() == 0) { /* whose file it is: as in /tmp */
        assert_int_equal(chmod(in_folder("f"), 0666), 0);
        assert_int_equal(chmod(test_folder, 01777), 0);
        assert_refused_to_a_user(in_folder("f"), "not permitted");
    }
    assert_int_equal(chmod(test_folder, 0555), 0);
    assert_refused_to_a_user(in_folder("new"), "Permission denied");
    assert_int_equal(chmod(test_folder, 0700), 0);
    assert_holds(in_folder("f"), "old");
    assert_int_equal(folder_entries(test_folder, false), 1);
}

/* What stands at the temporary name is neither opened nor followed. */
static void test_the_temporary_name_is_new(void **state) {
    (void)state;
    Error error = {0};
    Output output;
    write_bytes(in_folder("victim"), "mine", 4);
    assert_true(output_begin(&output, in_folder("f"), &error));
    char *part = strdup(output.part);
    output_abandon(&output);
    assert_int_equal(symlink("victim", part), 0);
    assert_true(output_begin(&output, in_folder("f"), &error));
    assert_string_not_equal(output.part, part);
    fputs("new", output.stream);
    assert_true(output_commit(&output, &error));
    assert_holds(in_folder("victim"), "mine");
    assert_holds(in_folder("f"), "new");
    free(part);
}

/* In a process of its own: begins a file, writes half of it, says so and waits to be killed. */
static pid_t begin_elsewhere(const char *path) {
    int ready[2];
    char word;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        Output output;
        Error error;
        if (!output_begin(&output, path, &error)) _exit(1);
        fputs("half", output.stream);
        fflush(output.stream);
        alarm(60); /* if the test fails before the kill */
        if (write(ready[1], "x", 1) != 1) _exit(1);
        for (;;)
            pause();
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &word, 1), 1);
    close(ready[0]);
    return child;
}

static void end_elsewhere(pid_t child) {
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

/* A living run's stays; a killed one's goes with the next run for this very file, and no other
 * file that looks like it. */
static void test_what_a_killed_run_left_is_removed(void **state) {
    (void)state;
    Error error = {0};
    static const char *const strangers[] = {"f.part",
                                            "f.1.part",
                                            "f.headscope-1.part",
                                            "f.headscope-1-2.part.part",
                                            "g.headscope-1-0.part",
                                            "f.headscope-1-x.part",
                                            "af.headscope-1-0.part",
                                            "f.x.headscope-1-0.part",
                                            "f.headscope-1-0.part.crdownload"};
    enum { STRANGERS = sizeof strangers / sizeof strangers[0] };
    for (int i = 0; i < STRANGERS; i++)
        write_bytes(in_folder(strangers[i]), "x", 1);
    assert_int_equal(mkdir(in_folder("f.headscope-7-0.part"), 0777), 0); /* nobody's file */
    pid_t living = begin_elsewhere(in_folder("f")), killed = begin_elsewhere(in_folder("f"));
    assert_int_equal(folder_entries(test_folder, false), STRANGERS + 3);
    end_elsewhere(killed);
    assert_true(output_write(in_folder("other"), "x", 1, &error));
    assert_int_equal(folder_entries(test_folder, false), STRANGERS + 4);
    assert_true(output_write(in_folder("f"), "new", 3, &error));
    assert_int_equal(folder_entries(test_folder, false), STRANGERS + 4); /* f for killed's */
    end_elsewhere(living);
    assert_true(output_write(in_folder("f"), "new", 3, &error));
    assert_int_equal(folder_entries(test_folder, false), STRANGERS + 3);
    for (int i = 0; i < STRANGERS; i++)
        assert_int_equal(access(in_folder(strangers[i]), F_OK), 0);
    assert_holds(in_folder("f"), "new");
}

/* Of the same process too: two threads may write the same file. */
static void test_two_at_once(void **state) {
    (void)state;
    Error error = {0};
    Output first, second;
    assert_true(output_begin(&first, in_folder("f"), &error));
    assert_true(output_begin(&second, in_folder("f"), &error));
    fputs("first", first.stream);
    fputs("second", second.stream);
    assert_true(output_commit(&first, &error));
    assert_holds(in_folder("f"), "first");
    assert_true(output_commit(&second, &error));
    assert_holds(in_folder("f"), "second");
    assert_int_equal(folder_entries(test_folder, false), 1);
}

/* As long as the file system takes it, of one-byte and of longer characters. Two names that differ
 * at their end only do not get in each other's way. */
static void test_long_names(void **state) {
    (void)state;
    Error error = {0};
    static const char *const letters[] = {"x", "\xC3\xA9"};
    for (int i = 0; i < 2; i++) {
        char name[300] = "", twin[400];
        while (strlen(name) + 2 < 250)
            strcat(name, letters[i]);
        snprintf(twin, sizeof twin, "%s/%s.b", test_folder, name);
        snprintf(name + strlen(name), 3, ".a");
        char path[400];
        snprintf(path, sizeof path, "%s/%s", test_folder, name);
        Output output;
        if (!output_begin(&output, path, &error)) fail_msg("%s", error.text);
        pid_t killed = begin_elsewhere(twin);
        end_elsewhere(killed);
        fputs("new", output.stream);
        if (!output_commit(&output, &error)) fail_msg("%s", error.text);
        assert_true(output_write(path, "newer", 5, &error));
        assert_int_equal(folder_entries(test_folder, false), 2); /* and what the twin left */
        assert_true(output_write(twin, "twin", 4, &error));
        assert_int_equal(folder_entries(test_folder, true), 2);
    }
    char path[400] = "";
    snprintf(path, sizeof path, "%s/", test_folder);
    while (strlen(path) < strlen(test_folder) + 1 + 256)
        strcat(path, "y");
    assert_refused(path, "too long");
}

static void test_possible(void **state) {
    (void)state;
    Error error = {0};
    assert_true(output_possible(in_folder("f"), &error));
    assert_int_equal(folder_entries(test_folder, false), 0);
    write_bytes(in_folder("f"), "old", 3);
    assert_true(output_possible(in_folder("f"), &error));
    assert_holds(in_folder("f"), "old");
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    assert_true(output_possible(in_folder("pipe"), &error)); /* and does not wait for a reader */
    assert_true(output_is_device(in_folder("pipe")));
    assert_true(output_is_device("/dev/stdout"));
    assert_true(output_possible("/dev/fd/1", &error));
    assert_false(output_is_device(in_folder("f")));
    assert_false(output_is_device(in_folder("none")));
    assert_false(output_possible(in_folder("none/f"), &error));
    assert_false(output_possible(test_folder, &error));
    assert_non_null(strstr(error.text, "is a folder"));
}

static void test_pipe(void **state) {
    (void)state;
    Error error = {0};
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    pid_t reader = fork();
    assert_true(reader >= 0);
    if (reader == 0) {
        char bytes[16];
        FILE *stream = fopen(in_folder("pipe"), "rb");
        bool right = stream && fread(bytes, 1, sizeof bytes, stream) == 4;
        _exit(right && memcmp(bytes, "text", 4) == 0 ? 0 : 1);
    }
    assert_true(output_write(in_folder("pipe"), "text", 4, &error));
    int status;
    assert_int_equal(waitpid(reader, &status, 0), reader);
    assert_int_equal(status, 0);
    assert_int_equal(folder_entries(test_folder, false), 1);
}

/* The descriptor goes on where it is: what stands in its file before stays. */
static void test_descriptor(void **state) {
    (void)state;
    Error error = {0};
    char name[32];
    write_bytes(in_folder("log"), "before ", 7);
    int file = open(in_folder("log"), O_WRONLY | O_APPEND);
    assert_true(file >= 0);
    snprintf(name, sizeof name, "/dev/fd/%d", file);
    assert_true(output_write(name, "text", 4, &error));
    assert_int_equal(write(file, " after", 6), 6);
    close(file);
    assert_holds(in_folder("log"), "before text after");
    assert_false(output_write(name, "text", 4, &error));
    assert_non_null(strstr(error.text, "Bad file descriptor"));
}

static void test_stream(void **state) {
    (void)state;
    Error error = {0};
    FILE *stream = output_stream(in_folder("log"), false, &error);
    assert_non_null(stream);
    fputs("one\n", stream);
    fflush(stream);
    assert_holds(in_folder("log"), "one\n");
    fclose(stream);
    stream = output_stream(in_folder("log"), true, &error);
    assert_non_null(stream);
    fputs("two\n", stream);
    fclose(stream);
    assert_holds(in_folder("log"), "one\ntwo\n");
    assert_null(output_stream(test_folder, false, &error));
    assert_non_null(strstr(error.text, "is a folder"));
    assert_null(output_stream(in_folder("none/log"), false, &error));
    assert_non_null(strstr(error.text, "No such file"));
    assert_null(output_stream("", false, &error));
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
        IN_FOLDER(test_link_to_nothing_and_in_a_circle),
        IN_FOLDER(test_permissions_stay),
        IN_FOLDER(test_what_a_user_may_not_replace),
        IN_FOLDER(test_the_temporary_name_is_new),
        IN_FOLDER(test_what_a_killed_run_left_is_removed),
        IN_FOLDER(test_two_at_once),
        IN_FOLDER(test_long_names),
        IN_FOLDER(test_possible),
        IN_FOLDER(test_pipe),
        IN_FOLDER(test_descriptor),
        IN_FOLDER(test_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
