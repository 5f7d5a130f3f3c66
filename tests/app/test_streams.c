/* Standard input, output and error as they may be: full, closed, unreadable, a terminal; and inputs
 * that never end. Nothing is passed over in silence. */
#define _XOPEN_SOURCE 700 /* posix_openpt */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "tests/app/helper_program.h"

/* --- running with other streams --------------------------------------------------------------- */

enum { CLOSED = -1, AS_USUAL = -2 };

/* A run whose standard input and output are these descriptors; SIGPIPE is ignored if `ignores`. A
 * run that does not end within some seconds is ended by SIGALRM, which its status tells. */
static Ran run_on(int in, int out, bool ignores, const char *const *words) {
    char *arguments[MOST_WORDS + 2] = {(char *)program_path()};
    char path[80];
    for (int i = 0; words[i]; i++)
        arguments[i + 1] = (char *)words[i];
    snprintf(path, sizeof path, "%s.err", test_folder);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int err = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(err, 2);
        if (in >= 0) dup2(in, 0);
        if (in == CLOSED) close(0);
        if (out >= 0) dup2(out, 1);
        if (out == CLOSED) close(1);
        if (ignores) signal(SIGPIPE, SIG_IGN);
        alarm(60);
        execv(arguments[0], arguments);
        _exit(127);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    Ran ran = {.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
               .out = strdup(""),
               .err = file_read(path, NULL)};
    unlink(path);
    return ran;
}

#define RUN_ON(in, out, ...) run_on(in, out, false, (const char *const[]){__VA_ARGS__, NULL})

static void assert_said(Ran ran, int status, const char *words) {
    if (ran.status != status || !strstr(ran.err, words))
        fail_msg("status %d instead of %d: '%s' lacks '%s'", ran.status, status, ran.err, words);
    assert_int_equal(count_lines(ran.err), words[0] ? 1 : 0);
    ran_free(&ran);
}

static const char *write_weights(const char *name) {
    static const float weights[8] = {1, 0, 0.25F, 0.75F, 1, 0, 0.5F, 0.5F};
    const char *path = in_folder(name);
    unsigned char bytes[200] = "\x93NUMPY\1\0";
    int length = sprintf((char *)bytes + 10,
                         "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 2, 2)}\n");
    bytes[8] = (unsigned char)length;
    memcpy(bytes + 10 + length, weights, sizeof weights);
    file_write(path, bytes, 10 + (size_t)length + sizeof weights);
    return path;
}

/* --- standard output -------------------------------------------------------------------------- */

/* Each command that prints: its words, up to NULL; MODEL and WEIGHTS stand for files. */
static const char *const printing[][8] = {
    {"--help"},
    {"--version"},
    {"help"},
    {"tasks"},
    {"tasks", "--help"},
    {"export", "--help"},
    {"view", "--actions"},
    {"run", "MODEL", "--input", "1"},
    {"run", "MODEL", "--input", "1", "--json"},
    {"eval", "MODEL", "--count", "4"},
    {"heads", "MODEL", "--input", "1"},
    {"heads", "MODEL", "--input", "1", "--csv"},
    {"ablate", "MODEL", "--input", "1", "--json"},
    {"check", "WEIGHTS"},
    {"check", "WEIGHTS", "--csv"},
    {"shapes"},
    {"traps", "--help"},
    {"cost"},
    {"quiz", "--count", "1"},
};

static void test_output_that_cannot_be_written(void **state) {
    (void)state;
    char model[256], weights[256];
    snprintf(model, sizeof model, "%s", copy_model());
    snprintf(weights, sizeof weights, "%s", write_weights("w.npy"));
    int full = open("/dev/full", O_WRONLY), nothing = open("/dev/null", O_RDONLY), ends[2];
    assert_true(full >= 0 && nothing >= 0);
    for (size_t i = 0; i < sizeof printing / sizeof printing[0]; i++) {
        const char *words[9] = {NULL};
        for (int word = 0; word < 8 && printing[i][word]; word++)
            words[word] = strcmp(printing[i][word], "MODEL") == 0     ? model
                          : strcmp(printing[i][word], "WEIGHTS") == 0 ? weights
                                                                      : printing[i][word];
        assert_said(run_on(nothing, full, false, words), 1,
                    "standard output cannot be written: No space left on device");
        assert_said(run_on(nothing, CLOSED, false, words), 1,
                    "standard output cannot be written: Bad file descriptor");
        /* A reader that has gone is no error to speak of, whether it is a signal or not. */
        assert_int_equal(pipe(ends), 0);
        close(ends[0]);
        assert_said(run_on(nothing, ends[1], true, words), 1, "");
        assert_said(run_on(nothing, ends[1], false, words), 128 + SIGPIPE, "");
        close(ends[1]);
    }
    close(full);
    close(nothing);
}

/* With standard output closed no file takes its place. */
static void test_a_closed_output_is_no_file(void **state) {
    (void)state;
    const char *png = in_folder("a.png");
    assert_said(RUN_ON(AS_USUAL, CLOSED, "export", write_weights("w.npy"), "-o", png), 0, "");
    size_t size;
    char *bytes = file_read(png, &size);
    assert_memory_equal(bytes, "\x89PNG", 4);
    free(bytes);
}

/* --- standard input --------------------------------------------------------------------------- */

static void test_input_that_cannot_be_read(void **state) {
    (void)state;
    const char *model = copy_model();
    int folder = open(test_folder, O_RDONLY), zeros = open("/dev/zero", O_RDONLY);
    assert_said(RUN_ON(folder, AS_USUAL, "run", model), 1,
                "standard input cannot be read: Is a directory");
    assert_said(RUN_ON(CLOSED, AS_USUAL, "run", model), 1,
                "standard input cannot be read: Bad file descriptor");
    assert_said(RUN_ON(zeros, AS_USUAL, "run", model), 2, "line 1: it holds a zero byte");
    int null = open("/dev/null", O_WRONLY);
    assert_said(RUN_ON(folder, null, "quiz", "--count", "1"), 1,
                "standard input cannot be read: Is a directory");
    close(null);
    close(folder);
    close(zeros);
    char *line = malloc((1 << 20) + 10);
    assert_non_null(line);
    memset(line, '1', (1 << 20) + 9);
    line[(1 << 20) + 9] = '\0';
    Ran ran = program_run((const char *const[]){"run", model, NULL}, line);
    assert_said(ran, 2, "line 1: longer than 1048576 bytes");
    free(line);
    /* A lone carriage return is a letter, not the line's end. */
    ran = program_run((const char *const[]){"run", model, NULL}, "1\r2\n");
    assert_int_equal(ran.status, 2);
    ran_free(&ran);
}

/* --- files that are none ---------------------------------------------------------------------- */

/* What each command says of a pipe nobody writes to, of zeros without end, and of a folder. */
static void test_inputs_without_end(void **state) {
    (void)state;
    char pipe[256], model[256], weights[256];
    const char *a = in_folder("a.png");
    snprintf(model, sizeof model, "%s", copy_model());
    snprintf(weights, sizeof weights, "%s", write_weights("w.npy"));
    snprintf(pipe, sizeof pipe, "%s", in_folder("pipe"));
    assert_int_equal(mkfifo(pipe, 0600), 0);
    const char *const inputs[] = {pipe, "/dev/zero", test_folder};
    for (int i = 0; i < 3; i++) {
        const char *in = inputs[i];
        const char *const calls[][9] = {
            {"run", in, "--input", "1"},
            {"eval", in},
            {"heads", in, "--input", "1"},
            {"ablate", in, "--input", "1"},
            {"check", in},
            {"export", in, "-o", a},
            {"export", in, "--input", "1", "-o", a},
            {"export", weights, "--tokens", in, "-o", a},
            {"shot", in, "-o", a},
            {"view", in},
            {"view", model, "--script", in},
            {"explain", in, "--input", "1", "cross.0.0", "0", "0"},
            {"traps", "one-reshape", "--model", in, "--input", "1"},
            {"acceptance", "--dump", in},
            {"acceptance", "--dump", weights, "--toy", in},
        };
        for (size_t call = 0; call < sizeof calls / sizeof calls[0]; call++) {
            Ran ran = run_on(AS_USUAL, AS_USUAL, false, calls[call]);
            if (ran.status != 1 && ran.status != 2)
                fail_msg("%s %s: status %d", calls[call][0], in, ran.status);
            if (!strstr(ran.err, "is no regular file"))
                fail_msg("%s %s: %s", calls[call][0], in, ran.err);
            assert_int_equal(count_lines(ran.err), 1);
            ran_free(&ran);
        }
    }
    assert_false(file_exists(a));
}

/* --- a terminal ------------------------------------------------------------------------------- */

/* What a run says on a terminal, both streams. */
static void run_on_terminal(const char *const *words, char *text, size_t size) {
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    char *arguments[MOST_WORDS + 2] = {(char *)program_path()};
    for (int i = 0; words[i]; i++)
        arguments[i + 1] = (char *)words[i];
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0 && slave >= 0);
    if (child == 0) {
        dup2(slave, 1);
        dup2(slave, 2);
        close(slave);
        close(master);
        alarm(60);
        execv(arguments[0], arguments);
        _exit(127);
    }
    close(slave);
    size_t used = 0;
    ssize_t some;
    while (used + 1 < size && (some = read(master, text + used, size - 1 - used)) > 0)
        used += (size_t)some;
    text[used] = '\0';
    close(master);
    waitpid(child, NULL, 0);
}

static void assert_nothing_steers(const char *text) {
    static const char *const hostile[] = {"\x1b", "\a", "\xC2\x9B", "\u202E", "\u2066", "\x9b\x9b"};
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++)
        if (strstr(text, hostile[i])) fail_msg("%zu is in: %s", i, text);
}

#define HOSTILE     "a\x1b]0;x\a\xC2\x9B\u202Eb\u2066\xC3\xA4"
#define HOSTILE_OUT "a\\x1b]0;x\\x07\\u009b\\u202eb\\u2066\xC3\xA4"

static void test_names_on_a_terminal(void **state) {
    (void)state;
    static char text[1 << 16];
    const char *path = write_weights(HOSTILE ".npy");
    run_on_terminal((const char *const[]){"check", path, NULL}, text, sizeof text);
    assert_nothing_steers(text);
    assert_non_null(strstr(text, HOSTILE_OUT));
    assert_non_null(strstr(text, "\r\n\r\n")); /* and lines are lines */
    run_on_terminal((const char *const[]){"check", in_folder(HOSTILE), NULL}, text, sizeof text);
    assert_nothing_steers(text);
    assert_non_null(strstr(text, HOSTILE_OUT));
    run_on_terminal((const char *const[]){HOSTILE, NULL}, text, sizeof text);
    assert_nothing_steers(text);
    run_on_terminal((const char *const[]){"check", path, "--json", NULL}, text, sizeof text);
    assert_nothing_steers(text);
    /* Into a pipe or a file goes what there is; of errors the escaped line. */
    Ran ran = RUN("check", path, "--csv");
    assert_non_null(strstr(ran.out, HOSTILE));
    ran_free(&ran);
    ran = RUN("check", in_folder(HOSTILE));
    assert_non_null(strstr(ran.err, HOSTILE_OUT));
    ran_free(&ran);
}

/* A model of the task copy whose tokens a and b are others. */
static void write_hostile_model(const char *path) {
    static const char *const from[] = {"\\\"a\\\"", "\\\"b\\\""};
    static const char *const to[] = {"\\\"\\\\u001b[\\\"", "\\\"\xC2\x9B\\\""};
    size_t size, length = 0, used = 0;
    MUST_RUN("train", "copy", "--steps", "2", TINY, "-o", path);
    char *bytes = file_read(path, &size), *copy = malloc(2 * size);
    assert_non_null(copy);
    for (int i = 7; i >= 0; i--)
        length = length << 8 | (unsigned char)bytes[i];
    for (size_t at = 8; at < 8 + length;) {
        int which = 1;
        while (which >= 0 && strncmp(bytes + at, from[which], 5) != 0)
            which--;
        if (which < 0) {
            copy[8 + used++] = bytes[at++];
        } else {
            memcpy(copy + 8 + used, to[which], strlen(to[which]));
            used += strlen(to[which]);
            at += 5;
        }
    }
    for (int i = 0; i < 8; i++)
        copy[i] = (char)(used >> (8 * i) & 255);
    memcpy(copy + 8 + used, bytes + 8 + length, size - 8 - length);
    file_write(path, copy, size - length + used);
    free(bytes);
    free(copy);
}

static void test_tokens_on_a_terminal(void **state) {
    (void)state;
    static char text[1 << 17];
    static const char input[] = "\x1b[\xC2\x9B"
                                "c";
    const char *model = in_folder("h.safetensors");
    write_hostile_model(model);
    const char *const calls[][8] = {
        {"run", model, "--input", input, "--json"},
        {"run", model, "--input", input},
        {"heads", model, "--input", input},
        {"heads", model, "--input", input, "--csv"},
        {"ablate", model, "--input", input},
        {"explain", model, "--input", input, "encoder.0.0", "0", "1"},
        {"run", model, "--input", "\x1b"},
    };
    for (size_t call = 0; call < sizeof calls / sizeof calls[0]; call++) {
        run_on_terminal(calls[call], text, sizeof text);
        assert_nothing_steers(text);
        if (strcmp(calls[call][0], "explain") == 0 && !strstr(text, "U+001B["))
            fail_msg("the token is not there: %s", text);
        assert_null(strstr(text, "usage"));
    }
}

/* --- names of pictures ------------------------------------------------------------------------ */

static void test_names_of_pictures(void **state) {
    (void)state;
    char weights[256];
    snprintf(weights, sizeof weights, "%s", write_weights("w.npy"));
    static const char *const wrong[] = {"f.pdf", "f.eps", "f.html", "f.jpeg", "f.", "f.png.bak"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_said(RUN_ON(AS_USUAL, AS_USUAL, "export", weights, "-o", in_folder(wrong[i])), 2,
                    "pictures are written as .png or .svg; a folder");
        assert_false(file_exists(in_folder(wrong[i])));
    }
    size_t size;
    MUST_RUN("export", weights, "-o", in_folder("f.PNG"), "--data", in_folder("f.CSV"));
    char *bytes = file_read(in_folder("f.PNG"), &size);
    assert_memory_equal(bytes, "\x89PNG", 4);
    free(bytes);
    MUST_RUN("export", weights, "-o", in_folder("f.Svg"));
    bytes = file_read(in_folder("f.Svg"), &size);
    assert_non_null(strstr(bytes, "<svg"));
    free(bytes);
    static const char *const folders[] = {"f.d/", "f", ".f", "there.png"};
    assert_int_equal(mkdir(in_folder("there.png"), 0700), 0);
    for (int i = 0; i < 4; i++) {
        MUST_RUN("export", weights, "-o", in_folder(folders[i]));
        assert_true(count_files(in_folder(folders[i]), ".png") > 0);
    }
    assert_said(RUN_ON(AS_USUAL, AS_USUAL, "export", weights, "-o", ""), 2,
                "-o: the name is empty");
}

/* The window's verbs write pictures, and over nothing else. */
static void test_sheets_are_pictures(void **state) {
    (void)state;
    char model[256], actions[400];
    size_t before, after;
    snprintf(model, sizeof model, "%s", in_folder("m.safetensors"));
    MUST_RUN("train", "copy", "--steps", "2", TINY, "-o", model);
    free(file_read(model, &before));
    snprintf(actions, sizeof actions, "sheet %s", model);
    assert_said(RUN_ON(AS_USUAL, AS_USUAL, "shot", model, "--do", actions), 2,
                "a sheet is a picture; end the name in .png or .svg");
    file_write(in_folder("notes.png"), "my notes\n", 9);
    static const char *const verbs[] = {"sheet", "save"};
    for (int i = 0; i < 2; i++) {
        snprintf(actions, sizeof actions, "%s %s", verbs[i], in_folder("notes.png"));
        assert_said(RUN_ON(AS_USUAL, AS_USUAL, "shot", model, "--do", actions), 2,
                    "notes.png: is there, is a text, and is not overwritten by a picture");
        snprintf(actions, sizeof actions, "%s %s", verbs[i], in_folder("a.png"));
        for (int time = 0; time < 2; time++) /* a picture is written over */
            assert_said(RUN_ON(AS_USUAL, AS_USUAL, "shot", model, "--do", actions), 0, "");
    }
    free(file_read(model, &after));
    assert_int_equal(before, after);
    char *notes = file_read(in_folder("notes.png"), &after);
    assert_string_equal(notes, "my notes\n");
    free(notes);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_output_that_cannot_be_written),
        IN_FOLDER(test_a_closed_output_is_no_file),
        IN_FOLDER(test_input_that_cannot_be_read),
        IN_FOLDER(test_inputs_without_end),
        IN_FOLDER(test_names_on_a_terminal),
        IN_FOLDER(test_tokens_on_a_terminal),
        IN_FOLDER(test_names_of_pictures),
        IN_FOLDER(test_sheets_are_pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
