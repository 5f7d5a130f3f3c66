/* Runs the built program as a person calls it, each test in a fresh folder. */
#ifndef TESTS_APP_HELPER_PROGRAM_H
#define TESTS_APP_HELPER_PROGRAM_H

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Not every test uses every function of a header. */
#define HELPER __attribute__((unused)) static

enum { MOST_WORDS = 64 };

/* What a command left behind; its texts end in a zero byte and are freed by ran_free. */
typedef struct Ran {
    int status; /* of exit; 128 + the signal if one ended it */
    char *out, *err;
} Ran;

HELPER void ran_free(Ran *ran) {
    free(ran->out);
    free(ran->err);
    *ran = (Ran){0};
}

HELPER bool small_work(void) {
    return getenv("HEADSCOPE_TEST_SMALL") != NULL;
}

/* --- folders and files ------------------------------------------------------------------------ */

static char test_folder[64];

/* "FOLDER/name"; valid until the eighth call after it. */
HELPER const char *in_folder(const char *name) {
    static char paths[8][256];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", test_folder, name);
    return path;
}

HELPER int make_folder(void **state) {
    (void)state;
    snprintf(test_folder, sizeof test_folder, "/tmp/headscope-test-XXXXXX");
    return mkdtemp(test_folder) ? 0 : -1;
}

/* A folder with all in it, or a file; links are removed, not followed. */
HELPER void remove_tree(const char *path) {
    struct stat status;
    if (lstat(path, &status) != 0) return;
    DIR *stream = S_ISDIR(status.st_mode) ? opendir(path) : NULL;
    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        char below[512];
        snprintf(below, sizeof below, "%s/%.250s", path, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) remove_tree(below);
    }
    if (stream) closedir(stream);
    remove(path);
}

HELPER int remove_folder(void **state) {
    (void)state;
    remove_tree(test_folder);
    /* A test that failed between start and wait leaves these. */
    static const char *const endings[] = {"in", "out", "err"};
    for (int i = 0; i < 3; i++) {
        char path[80];
        snprintf(path, sizeof path, "%s.%s", test_folder, endings[i]);
        unlink(path);
    }
    return 0;
}

/* The whole file with a zero byte after it (free it); fails the test if there is none. */
HELPER char *file_read(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s cannot be read", path);
    fseek(file, 0, SEEK_END);
    size_t length = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(length + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, length, file), length);
    fclose(file);
    bytes[length] = '\0';
    if (size) *size = length;
    return bytes;
}

HELPER void file_write(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

HELPER bool file_exists(const char *path) {
    return access(path, F_OK) == 0;
}

HELPER void assert_same_files(const char *a, const char *b) {
    size_t a_size, b_size;
    char *a_bytes = file_read(a, &a_size), *b_bytes = file_read(b, &b_size);
    assert_int_equal(a_size, b_size);
    assert_memory_equal(a_bytes, b_bytes, a_size);
    free(a_bytes);
    free(b_bytes);
}

/* The entries of a folder whose names end so ("" counts all). */
HELPER int count_files(const char *folder, const char *ending) {
    DIR *stream = opendir(folder);
    assert_non_null(stream);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(stream));) {
        size_t length = strlen(entry->d_name), end = strlen(ending);
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        count += length >= end && strcmp(entry->d_name + length - end, ending) == 0;
    }
    closedir(stream);
    return count;
}

/* --- running ---------------------------------------------------------------------------------- */

HELPER const char *program_path(void) {
    const char *path = getenv("HEADSCOPE");
    return path ? path : "./headscope";
}

/* Starts the program with `words` (ended by NULL). What it prints goes to the files .out and .err
 * beside the folder's name, so that the folder itself holds what the command wrote and no more. */
HELPER pid_t program_start(const char *const *words, const char *input) {
    char out[80], err[80], in[80];
    snprintf(out, sizeof out, "%s.out", test_folder);
    snprintf(err, sizeof err, "%s.err", test_folder);
    snprintf(in, sizeof in, "%s.in", test_folder);
    file_write(in, input ? input : "", input ? strlen(input) : 0);
    char *arguments[MOST_WORDS + 2] = {(char *)program_path()};
    for (int i = 0; i < MOST_WORDS && words[i]; i++)
        arguments[i + 1] = (char *)words[i];
    /* Before the fork: a child that is killed at once leaves its files too. */
    int files[3] = {open(in, O_RDONLY), open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600),
                    open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600)};
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        for (int i = 0; i < 3; i++)
            if (dup2(files[i], i) < 0) _exit(126);
        for (int i = 0; i < 3; i++)
            if (files[i] > 2) close(files[i]);
        execv(arguments[0], arguments);
        _exit(127);
    }
    for (int i = 0; i < 3; i++)
        close(files[i]);
    return child;
}

HELPER Ran program_wait(pid_t child) {
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    char path[80];
    Ran ran = {.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)};
    snprintf(path, sizeof path, "%s.out", test_folder);
    ran.out = file_read(path, NULL);
    unlink(path);
    snprintf(path, sizeof path, "%s.err", test_folder);
    ran.err = file_read(path, NULL);
    unlink(path);
    snprintf(path, sizeof path, "%s.in", test_folder);
    unlink(path);
    return ran;
}

HELPER Ran program_run(const char *const *words, const char *input) {
    return program_wait(program_start(words, input));
}

/* RUN("tasks", "--help"): runs and captures. */
#define RUN(...) program_run((const char *const[]){__VA_ARGS__, NULL}, NULL)

/* Fails with what the program said unless it ended with `status`. */
HELPER void assert_status(const Ran *ran, int status) {
    if (ran->status != status)
        fail_msg("status %d instead of %d; stderr: %s", ran->status, status, ran->err);
}

/* RUN for a command that must succeed and whose words do not matter. */
#define MUST_RUN(...)                                                                              \
    do {                                                                                           \
        Ran must_ran = RUN(__VA_ARGS__);                                                           \
        assert_status(&must_ran, 0);                                                               \
        ran_free(&must_ran);                                                                       \
    } while (0)

HELPER int count_lines(const char *text) {
    int count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

/* Trains in no time a model that can be used but has learned nothing. */
#define TINY                                                                                       \
    "--width", "16", "--heads", "2", "--batch", "8", "--encoder-layers", "1", "--decoder-layers",  \
        "1"

/* The shipped model of the task copy, or, while there is none, a tiny one in the folder. */
HELPER const char *copy_model(void) {
    if (!small_work() && file_exists("assets/copy.safetensors")) return "assets/copy.safetensors";
    const char *path = in_folder("copy.safetensors");
    if (!file_exists(path)) MUST_RUN("train", "copy", "--steps", "2", TINY, "-o", path);
    return path;
}

HELPER void wait_milliseconds(long milliseconds) {
    struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

#endif
