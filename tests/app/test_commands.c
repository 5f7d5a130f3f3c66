/* What is refused, with which status and words; and the help. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/app/helper_program.h"

/* In the words, "MODEL" stands for a good model, and what begins with "@" lies in the folder. */
typedef struct Refusal {
    int status;
    const char *names; /* what the one line on stderr must name */
    const char *words[12];
} Refusal;

static const Refusal refusals[] = {
    {2, "nonsense", {"nonsense"}},
    {2, "--nonsense", {"--nonsense"}},
    {2, "nonsense", {"train", "nonsense", "-o", "@m"}},
    {2, "more", {"--help", "more"}},
    {2, "more", {"--version", "more"}},
    {2, "more", {"help", "tasks", "more"}},
    {2, "nonsense", {"help", "nonsense"}},
    {2, "--actions", {"view", "--actions", "more"}},
    {2, "an empty word", {"run", ""}},
    {2, "--data: the name is empty", {"export", "MODEL", "--input", "1", "--data="}},
    {2, "--beam: given twice", {"run", "MODEL", "--beam", "1", "--beam", "2"}},
    {2, "-o: given twice", {"train", "copy", "-o", "@m", "-o", "@n"}},
    {2, "--theme", {"export", "MODEL", "--input", "1", "--data", "@a.csv", "--theme", "dark"}},
    {2, "--scale", {"export", "MODEL", "--input", "1", "--data", "@a.csv", "--scale", "2"}},
    {1, "none: cannot be opened", {"export", "@none", "-o", "@a.png"}},
    {1, "text: is a text", {"export", "@text", "-o", "@a.png"}},
    {1, "empty: is empty", {"export", "@empty", "-o", "@a.png"}},
    {2, "f.pdf", {"export", "MODEL", "--input", "1", "-o", "@f.pdf"}},
    {2, "usage", {"train", "-o", "@m"}},
    {2, "usage", {"run"}},
    {2, "usage", {"eval"}},
    {2, "usage", {"export"}},
    {2, "more", {"tasks", "more"}},
    {2, "more", {"train", "copy", "more", "-o", "@m"}},
    {2, "--nonsense", {"train", "copy", "--nonsense", "-o", "@m"}},
    {2, "--nonsense=3", {"run", "MODEL", "--nonsense=3"}},
    {2, "--steps", {"train", "copy", "-o", "@m", "--steps"}},
    {2, "-o", {"train", "copy", "-o"}},
    {2, "3x", {"train", "copy", "-o", "@m", "--steps", "3x"}},
    {2, "--steps", {"train", "copy", "-o", "@m", "--steps", ""}},
    {2, "--steps 0", {"train", "copy", "-o", "@m", "--steps", "0"}},
    {2, "--steps", {"train", "copy", "-o", "@m", "--steps", "99999999999999999999"}},
    {2, "--seed -1", {"train", "copy", "-o", "@m", "--seed", "-1"}},
    {2, "--learning-rate nan", {"train", "copy", "-o", "@m", "--learning-rate", "nan"}},
    {2, "--dropout half", {"train", "copy", "-o", "@m", "--dropout", "half"}},
    {2, "--threads 0", {"run", "MODEL", "--threads", "0"}},
    {2, "--beam 0", {"run", "MODEL", "--beam=0"}},
    {2, "--json=yes", {"run", "MODEL", "--json=yes"}},
    {2, "--norm sideways", {"train", "copy", "-o", "@m", "--norm", "sideways"}},
    {2, "--final-norm maybe", {"train", "copy", "-o", "@m", "--final-norm", "maybe"}},
    {2, "3 heads", {"train", "copy", "-o", "@m", "--width", "10", "--heads", "3"}},
    {2, "--max-source", {"train", "copy", "-o", "@m", "--max-source", "3"}},
    {2, "-o", {"train", "copy"}},
    {2, "--width", {"train", "copy", "-o", "@m", "--resume", "--width", "8"}},
    {1, "m.run", {"train", "copy", "-o", "@m", "--resume"}},
    {1, "none", {"run", "@none", "--input", "1"}},
    {1, "none", {"eval", "@none"}},
    {1, "none", {"export", "@none", "--input", "1", "-o", "@a.png"}},
    {1, "text", {"run", "@text", "--input", "1"}},
    {1, "empty", {"run", "@empty", "--input", "1"}},
    {1, "cut", {"run", "@cut", "--input", "1"}},
    {1, "long", {"run", "@long", "--input", "1"}},
    {2, "'?'", {"run", "MODEL", "--input", "1?2"}},
    {2, "'ä'", {"run", "MODEL", "--input", "ä"}},
    {2, "16", {"run", "MODEL", "--input", "12345678901234567"}},
    {2, "empty", {"run", "MODEL", "--input", ""}},
    {2, "'?'", {"export", "MODEL", "--input", "1?2", "-o", "@a.png"}},
    {2, "--input", {"export", "MODEL", "-o", "@a.png"}},
    {2, "-o", {"export", "MODEL", "--input", "1"}},
    {2, "--each", {"export", "MODEL", "--input", "1", "--each", "--data", "@a.csv"}},
    {2, "--each", {"export", "MODEL", "--input", "1", "--each", "-o", "@a.png"}},
    {2, "--site up", {"export", "MODEL", "--input", "1", "-o", "@a.png", "--site", "up"}},
    {2, "\"up\"", {"export", "MODEL", "--input", "1", "-o", "@a.png", "--heads", "up"}},
    {2, "\"\"", {"export", "MODEL", "--input", "1", "-o", "@a.png", "--heads", "cross.0.0,"}},
    {2, "cross.9.0", {"export", "MODEL", "--input", "1", "-o", "@a.png", "--heads", "cross.9.0"}},
    {2, "cross.0.99", {"export", "MODEL", "--input", "1", "-o", "@out", "--heads", "cross.0.99"}},
    {2, "cross.9.0", {"export", "MODEL", "--input", "1", "--data", "@a.csv", "--heads=cross.9.0"}},
    {2, "head", {"export", "MODEL", "--input", "1", "-o", "@a.png", "--head", "99"}},
    {2, "layer", {"export", "MODEL", "--input", "1", "-o", "@a.png", "--layer", "9"}},
    {2,
     "--heads",
     {"export", "MODEL", "--input", "1", "-o", "@a.png", "--heads", "cross.0.0", "--head", "0"}},
    {2, "--theme blue", {"export", "MODEL", "--input", "1", "-o", "@a.png", "--theme", "blue"}},
    {2, "--colormap x", {"export", "MODEL", "--input", "1", "-o", "@a.png", "--colormap", "x"}},
    {2, "--scale 9", {"export", "MODEL", "--input", "1", "-o", "@a.png", "--scale", "9"}},
    {2, "a.xls", {"export", "MODEL", "--input", "1", "--data", "@a.xls"}},
    {1, "text/a.csv", {"export", "MODEL", "--input", "1", "--data", "@text/a.csv"}},
    {1, "text/a.png", {"export", "MODEL", "--input", "1", "-o", "@text/a.png"}},
    {1, "text/out", {"export", "MODEL", "--input", "1", "-o", "@text/out"}},
    {1, "text/m", {"train", "copy", "-o", "@text/m", "--width", "16", "--steps", "1"}},
};
enum { REFUSALS = sizeof refusals / sizeof refusals[0] };

/* A text file, an empty one, and a model cut short and one with a byte too many. */
static void make_bad_models(const char *model) {
    size_t size;
    char *bytes = file_read(model, &size);
    file_write(in_folder("text"), "not a model\n", 12);
    file_write(in_folder("empty"), "", 0);
    file_write(in_folder("cut"), bytes, size - 1);
    bytes[size] = 0;
    file_write(in_folder("long"), bytes, size + 1);
    free(bytes);
}

static Ran run_refusal(const Refusal *refusal, const char *model) {
    char paths[12][256];
    const char *words[13] = {NULL};
    for (int i = 0; i < 12 && refusal->words[i]; i++) {
        const char *word = refusal->words[i];
        snprintf(paths[i], sizeof paths[i], "%s/%s", test_folder, word + (word[0] == '@'));
        words[i] = word[0] == '@' ? paths[i] : strcmp(word, "MODEL") == 0 ? model : word;
    }
    return program_run(words, NULL);
}

static void test_bad_calls_are_refused_in_one_line(void **state) {
    (void)state;
    char model[256];
    snprintf(model, sizeof model, "%s", copy_model());
    make_bad_models(model);
    int files = count_files(test_folder, "");
    int failed = 0;
    for (int i = 0; i < REFUSALS; i += small_work() ? 6 : 1) {
        const Refusal *refusal = &refusals[i];
        Ran ran = run_refusal(refusal, model);
        bool good = ran.status == refusal->status && count_lines(ran.err) == 1 &&
                    strncmp(ran.err, "headscope", 9) == 0 && strstr(ran.err, refusal->names) &&
                    ran.out[0] == '\0' && count_files(test_folder, "") == files;
        if (!good)
            print_error("refusal %d (%s %s): status %d, \"%s\" not named in:\n%s%s", i,
                        refusal->words[0], refusal->words[1] ? refusal->words[1] : "", ran.status,
                        refusal->names, ran.err, ran.out);
        failed += !good;
        ran_free(&ran);
    }
    assert_int_equal(failed, 0);
}

static void test_a_full_disk_is_told(void **state) {
    (void)state;
    if (!file_exists("/dev/full")) skip();
    char model[256];
    snprintf(model, sizeof model, "%s", copy_model());
    Ran ran = RUN("export", model, "--input", "1", "--data", "/dev/full");
    /* The name says nothing of the format, so this is refused before it is written. */
    assert_status(&ran, 2);
    ran_free(&ran);
    assert_int_equal(symlink("/dev/full", in_folder("full.csv")), 0);
    ran = RUN("export", model, "--input", "1", "--data", in_folder("full.csv"));
    assert_status(&ran, 1);
    assert_non_null(strstr(ran.err, "/dev/full"));
    assert_int_equal(count_lines(ran.err), 1);
    ran_free(&ran);
}

/* What each command that writes a file writes into a pipe of any name, and into the open standard
 * output, is what it writes into a file. */
static void test_pipes_are_written_into(void **state) {
    (void)state;
    char model[256], command[2000], pipe[256];
    snprintf(model, sizeof model, "%s", copy_model());
    snprintf(pipe, sizeof pipe, "%s", in_folder("pipe"));
    static const struct {
        const char *words, *option, *begin;
    } writers[] = {{"export %s --input 1", "-o", "\x89PNG"},
                   {"shot %s --input 1", "-o", "\x89PNG"},
                   {"export %s --input 1", "--data", "site,layer"},
                   {"toy", "-o", "PK"},
                   {"traps", "--picture", "<?xml"}};
    static const char *const links[] = {"", "", "pipe.csv", "pipe.npz", "pipe.svg"};
    assert_int_equal(mkfifo(pipe, 0600), 0);
    for (int i = 0; i < 5; i++) {
        char words[400];
        const char *name = pipe;
        if (links[i][0]) {
            name = in_folder(links[i]);
            assert_int_equal(symlink("pipe", name), 0);
        }
        snprintf(words, sizeof words, writers[i].words, model);
        snprintf(command, sizeof command, "cat %s >%s & %s %s %s %s >/dev/null && wait", pipe,
                 in_folder("got"), program_path(), words, writers[i].option, name);
        assert_int_equal(system(command), 0);
        char *got = file_read(in_folder("got"), NULL);
        if (strncmp(got, writers[i].begin, strlen(writers[i].begin)) != 0)
            fail_msg("%s %s: the pipe gives '%.8s'", words, writers[i].option, got);
        free(got);
        struct stat status;
        assert_int_equal(stat(pipe, &status), 0);
        assert_true(S_ISFIFO(status.st_mode));
    }
    /* Into the middle of a file that others write. */
    snprintf(command, sizeof command,
             "(echo before; %s export %s --input 1 -o /dev/stdout; echo after) >%s", program_path(),
             model, in_folder("all"));
    assert_int_equal(system(command), 0);
    size_t size;
    char *all = file_read(in_folder("all"), &size);
    assert_int_equal(strncmp(all, "before\n\x89PNG", 11), 0);
    assert_string_equal(all + size - 6, "after\n");
    free(all);
}

static void test_tasks_lists_five(void **state) {
    (void)state;
    Ran ran = RUN("tasks");
    assert_status(&ran, 0);
    assert_int_equal(count_lines(ran.out), 5);
    static const char *const names[] = {"copy", "reverse", "sort", "add", "dates"};
    const char *line = ran.out;
    for (int i = 0; i < 5; i++) {
        assert_int_equal(strncmp(line, names[i], strlen(names[i])), 0);
        line = strchr(line, '\n') + 1;
    }
    assert_string_equal(ran.err, "");
    ran_free(&ran);
}

static void test_help_and_version(void **state) {
    (void)state;
    static const char *const commands[] = {"tasks",  "train", "run", "eval",
                                           "export", "view",  "shot"};
    Ran all = RUN("--help");
    assert_status(&all, 0);
    assert_string_equal(all.err, "");
    for (int i = 0; i < 7; i++) {
        assert_non_null(strstr(all.out, commands[i]));
        Ran ran = RUN(commands[i], "--help");
        assert_status(&ran, 0);
        char usage[64];
        snprintf(usage, sizeof usage, "usage: headscope %s", commands[i]);
        assert_int_equal(strncmp(ran.out, usage, strlen(usage)), 0);
        assert_string_equal(ran.err, "");
        ran_free(&ran);
    }
    ran_free(&all);
    Ran version = RUN("--version");
    assert_status(&version, 0);
    assert_int_equal(strncmp(version.out, "headscope ", 10), 0);
    assert_non_null(strstr(version.out, "\nkernels: "));
    assert_int_equal(count_lines(version.out), 4);
    ran_free(&version);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_bad_calls_are_refused_in_one_line, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(test_a_full_disk_is_told, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_pipes_are_written_into, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_tasks_lists_five, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_help_and_version, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
