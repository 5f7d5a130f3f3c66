/* The commands that README.md, docs/ and assets/README.md quote, run as they stand in a scratch
 * folder that has the assets: each must end with exit status 0. Run are the lines of ```sh blocks
 * and the code spans that call headscope. Some are changed or passed over by rule (see plan_of). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <glob.h>

#include "tests/app/helper_picture.h"

enum { MOST_COMMAND = 2000 };

/* --- what is quoted --------------------------------------------------------------------------- */

typedef void Visit(const char *page, const char *command);

/* One line of a ```sh block, or one code span, with its line breaks made spaces. */
static void visit_text(Visit *visit, const char *page, const char *from, size_t length) {
    char command[MOST_COMMAND];
    size_t used = 0;
    if (length >= sizeof command) fail_msg("%s: a command of %zu bytes", page, length);
    for (size_t i = 0; i < length; i++) {
        bool escaped_pipe = from[i] == '\\' && i + 1 < length && from[i + 1] == '|';
        bool continued = from[i] == '\\' && i + 1 < length && from[i + 1] == '\n';
        if (escaped_pipe || continued) continue;
        if (used == 0 && isspace((unsigned char)from[i])) continue;
        command[used++] = from[i] == '\n' ? ' ' : from[i];
    }
    command[used] = '\0';
    if (used) visit(page, command);
}

/* Where the shell's line ends: at a line break that no \ stands before. */
static const char *end_of_line(const char *from) {
    const char *end = strchr(from, '\n');
    while (end && end > from && end[-1] == '\\')
        end = strchr(end + 1, '\n');
    return end ? end : from + strlen(from);
}

/* `headscope shot`: prose names a command, and does not call it. */
static bool names_a_command(const char *from, const char *end) {
    int spaces = 0;
    for (const char *at = from; at < end; at++)
        spaces += *at == ' ';
    return spaces < 2;
}

/* Goes over one page; a block of another language is passed over. */
static void visit_page(Visit *visit, const char *page) {
    char *text = file_read(page, NULL);
    for (const char *at = text; *at;) {
        if (strncmp(at, "```", 3) == 0) {
            bool shell = strncmp(at, "```sh\n", 6) == 0;
            const char *close = strstr(at + 3, "\n```");
            if (!close) fail_msg("%s: a block is not closed", page);
            const char *line = strchr(at, '\n') + 1;
            while (shell && line < close) {
                const char *end = end_of_line(line);
                visit_text(visit, page, line, (size_t)(end - line));
                line = end + 1;
            }
            at = close + 4;
        } else if (*at == '`') {
            const char *end = strchr(at + 1, '`');
            if (!end) fail_msg("%s: a code span is not closed", page);
            if (!names_a_command(at + 1, end))
                visit_text(visit, page, at + 1, (size_t)(end - at - 1));
            at = end + 1;
        } else {
            at++;
        }
    }
    free(text);
}

/* --- what is made of it ----------------------------------------------------------------------- */

typedef enum Plan { PLAN_PASS_OVER, PLAN_RUN } Plan;

static bool starts(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

/* FILE, MODEL, assets/NAME.safetensors: a word in capitals stands for something, but not in quotes.
 */
static bool has_placeholder(const char *command) {
    char quote = '\0';
    for (const char *at = command; *at && *at != '#'; at++) {
        if (quote) {
            if (*at == quote) quote = '\0';
            continue;
        }
        if (*at == '"' || *at == '\'') quote = *at;
        bool begins = at == command || strchr(" |/", at[-1]) != NULL;
        if (!begins || !isupper((unsigned char)*at)) continue;
        size_t capitals = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ|");
        if (strchr(" .#\0", at[capitals])) return true;
    }
    return strstr(command, "...") != NULL;
}

/* Whether it reads a file that is not there, other than of the assets, which must be there: one of
 * the reader's own, or what a training would have made. */
static bool reads_what_is_not_there(const char *command) {
    static const char *const outputs[] = {"-o", "--data", "--log", "--picture"};
    static const char *const endings[] = {".safetensors", ".npz", ".npy", ".png"};
    char copy[MOST_COMMAND], before[64] = "";
    snprintf(copy, sizeof copy, "%s", command);
    for (char *word = strtok(copy, " ;"); word; word = strtok(NULL, " ;")) {
        bool written = false, named = false;
        for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++)
            written = written || strcmp(before, outputs[i]) == 0;
        for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
            size_t length = strlen(word), end = strlen(endings[i]);
            named = named || (length > end && strcmp(word + length - end, endings[i]) == 0);
        }
        if (named && !written && !starts(word, "assets/") && !file_exists(in_folder(word)))
            return true;
        snprintf(before, sizeof before, "%.60s", word);
    }
    return false;
}

/* What to run in its place. Passed over are other programs, what has a placeholder or reads what is
 * not there, what opens the window for itself (of a model's it draws the state as a picture), what
 * goes on with a training or watches one (of the others the options are read, --dry-run), and the
 * checks of numbers that somebody's own program made, which tests/oracle runs. */
static Plan plan_of(const char *command, char planned[MOST_COMMAND + 40]) {
    snprintf(planned, MOST_COMMAND + 40, "%s", command);
    if (starts(command, "mkdir ") || starts(command, "cp ")) return PLAN_RUN;
    if (!starts(command, "headscope ") && !strstr(command, "| headscope ")) return PLAN_PASS_OVER;
    if (has_placeholder(command) || reads_what_is_not_there(command)) return PLAN_PASS_OVER;
    if (starts(command, "headscope check") || strstr(command, "--dump")) return PLAN_PASS_OVER;
    if (starts(command, "headscope train")) {
        snprintf(planned, MOST_COMMAND + 40, "headscope train --dry-run%s", command + 15);
        return strstr(command, "--resume") || strstr(command, "--watch") || strchr(command, '$')
                   ? PLAN_PASS_OVER
                   : PLAN_RUN;
    }
    if (starts(command, "headscope view") && !strstr(command, "--actions")) {
        snprintf(planned, MOST_COMMAND + 40, "headscope shot -o view.png%s", command + 14);
        return strstr(command, "--script") || strlen(command) < 16 ? PLAN_PASS_OVER : PLAN_RUN;
    }
    return PLAN_RUN;
}

/* --- running ---------------------------------------------------------------------------------- */

static int ran, passed_over, failed;

static void run_in_folder(const char *page, const char *command, const char *planned) {
    char call[600];
    file_write(in_folder("command.sh"), planned, strlen(planned));
    snprintf(
        call, sizeof call,
        "cd %s && PATH=%s/bin:$PATH XDG_CONFIG_HOME=%s/config XDG_STATE_HOME=%s/state DISPLAY= "
        "WAYLAND_DISPLAY= sh command.sh </dev/null >out.txt 2>err.txt",
        test_folder, test_folder, test_folder, test_folder);
    int status = system(call);
    ran++;
    if (status == 0) return;
    char *err = file_read(in_folder("err.txt"), NULL);
    fprintf(stderr, "%s: %s\n    as: %s\n    status %d: %s\n", page, command, planned,
            WIFEXITED(status) ? WEXITSTATUS(status) : -1, err);
    free(err);
    failed++;
}

static void run_command(const char *page, const char *command) {
    char planned[MOST_COMMAND + 40];
    if (!strstr(command, "headscope ") && !starts(command, "mkdir ") && !starts(command, "cp "))
        return;
    if (plan_of(command, planned) == PLAN_RUN) {
        run_in_folder(page, command, planned);
        return;
    }
    passed_over++;
    if (getenv("HEADSCOPE_TEST_VERBOSE")) fprintf(stderr, "passed over, %s: %s\n", page, command);
}

static void must(const char *call) {
    if (system(call) != 0) fail_msg("%s", call);
}

/* bin/headscope, and the assets, which commands read and write. */
static void furnish_folder(void) {
    char call[1600], here[512] = "";
    const char *program = program_path();
    if (program[0] != '/') assert_non_null(getcwd(here, sizeof here));
    snprintf(call, sizeof call,
             "mkdir %s/bin && ln -s '%s%s%s' %s/bin/headscope && cp -r assets %s/", test_folder,
             here, here[0] ? "/" : "", program, test_folder, test_folder);
    must(call);
}

static void test_documented_commands(void **state) {
    (void)state;
    if (small_work() || !file_exists("assets/dates.safetensors")) skip();
    glob_t docs;
    assert_int_equal(glob("docs/*.md", 0, NULL, &docs), 0);
    furnish_folder();
    visit_page(run_command, "README.md");
    for (size_t i = 0; i < docs.gl_pathc; i++)
        visit_page(run_command, docs.gl_pathv[i]);
    visit_page(run_command, "assets/README.md");
    globfree(&docs);
    print_message("%d documented commands run, %d passed over\n", ran, passed_over);
    if (failed) fail_msg("%d documented commands fail", failed);
    assert_true(ran >= 40); /* or the pages are read wrongly */
}

/* --- pictures --------------------------------------------------------------------------------- */

/* The words of a command without quotes and folders: those of a picture are base names. */
static void bare_words(char bare[MOST_COMMAND], const char *command) {
    size_t used = 0;
    for (const char *at = command; *at; at++) {
        if (*at == '"' || *at == '\'') continue;
        if (*at == '/') {
            while (used > 0 && bare[used - 1] != ' ')
                used--;
            continue;
        }
        bare[used++] = *at;
    }
    bare[used] = '\0';
}

static int pictures;

/* A shipped picture says the command that stands under it. */
static void check_picture(const char *page, const char *command) {
    const char *path = strstr(command, "-o assets/");
    if (!path) path = strstr(command, "--picture assets/");
    if (!starts(command, "headscope ") || !path || !strstr(path, ".png")) return;
    char name[200], wanted[MOST_COMMAND], found[MOST_COMMAND];
    assert_int_equal(sscanf(strstr(path, "assets/"), "%199s", name), 1);
    Picture picture = picture_read(name);
    bare_words(wanted, command);
    bare_words(found, picture_text(&picture, "headscope:command"));
    if (strcmp(found, wanted) != 0) fail_msg("%s: %s was made by: %s", page, name, found);
    picture_free(&picture);
    pictures++;
}

static void test_pictures(void **state) {
    (void)state;
    glob_t docs;
    assert_int_equal(glob("docs/*.md", 0, NULL, &docs), 0);
    visit_page(check_picture, "README.md");
    for (size_t i = 0; i < docs.gl_pathc; i++)
        visit_page(check_picture, docs.gl_pathv[i]);
    visit_page(check_picture, "assets/README.md");
    globfree(&docs);
    assert_true(pictures >= 6);
}

/* The states of the tour, each drawn; in full they are sets of actions, after "name: ". */
static void test_tour(void **state) {
    (void)state;
    if (small_work() || !file_exists("assets/dates.safetensors")) skip();
    char *text = file_read("assets/tour.txt", NULL);
    int states = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *actions = strstr(line, ": ");
        if (line[0] == '#') continue;
        assert_non_null(actions);
        MUST_RUN("shot", "assets/dates.safetensors", "--do", actions + 2, "-o", in_folder("a.png"));
        states++;
    }
    free(text);
    assert_int_equal(states, 7);
}

static void assert_plan(const char *command, const char *wanted) {
    char planned[MOST_COMMAND + 40];
    Plan plan = plan_of(command, planned);
    assert_int_equal(plan, wanted ? PLAN_RUN : PLAN_PASS_OVER);
    if (wanted) assert_string_equal(planned, wanted);
}

static void test_plans(void **state) {
    (void)state;
    assert_plan("headscope tasks", "headscope tasks");
    assert_plan("seq 3 | headscope run assets/add.safetensors",
                "seq 3 | headscope run assets/add.safetensors");
    assert_plan("headscope export assets/x.safetensors --input \"A B\" -o a.png",
                "headscope export assets/x.safetensors --input \"A B\" -o a.png");
    assert_plan("headscope train reverse -o a.safetensors --heads 8",
                "headscope train --dry-run reverse -o a.safetensors --heads 8");
    assert_plan("headscope view assets/a.safetensors --do \"page train\"",
                "headscope shot -o view.png assets/a.safetensors --do \"page train\"");
    assert_plan("headscope view assets/a.safetensors --script assets/tour.txt", NULL);
    assert_plan("headscope train reverse --watch", NULL);
    assert_plan("headscope run mine.safetensors", NULL);
    assert_plan("headscope heads MODEL", NULL);
    assert_plan("headscope eval assets/NAME.safetensors", NULL);
    assert_plan("headscope COMMAND --help", NULL);
    assert_plan("headscope check *.npz --csv", NULL);
    assert_plan("make run", NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_plans, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_documented_commands, make_folder, remove_folder),
        cmocka_unit_test(test_pictures),
        cmocka_unit_test_setup_teardown(test_tour, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
