/* The manual page and the completion, which are made from the tables of --help. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "helper_program.h"

/* The status of a shell's command, in which %s stands for `path`. */
static int shell(const char *format, const char *path) {
    char command[1024];
    snprintf(command, sizeof command, format, path);
    int status = system(command);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static bool there_is(const char *tool) {
    return shell("command -v %s >/dev/null", tool) == 0;
}

/* The page as a reader sees it, but for roff's marks. */
static char *plain_manual(void) {
    Ran ran = RUN("--man");
    assert_status(&ran, 0);
    char *to = ran.out;
    for (const char *from = ran.out; *from; from++) {
        if (from[0] == '\\' && from[1] == 'f')
            from += 2;
        else if (from[0] != '\\' || from[1] != '-')
            *to++ = *from;
    }
    *to = '\0';
    free(ran.err);
    return ran.out;
}

/* Calls `use` with each name that begins a line of help after two spaces. */
static void for_names(const char *help, void (*use)(const char *name, void *context),
                      void *context) {
    for (const char *line = help; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        size_t length = strncmp(line, "  ", 2) == 0 ? strcspn(line + 2, " \n") : 0;
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)length, line + 2);
        if (length && (name[0] == '-' || (name[0] >= 'a' && name[0] <= 'z'))) use(name, context);
    }
}

static int options_seen;

static void find_option(const char *name, void *manual) {
    char line[96];
    snprintf(line, sizeof line, "\n.TP\n%s", name);
    if (!strstr(manual, line)) fail_msg("the manual lacks %s", name);
    options_seen++;
}

static void find_command(const char *name, void *manual) {
    char line[96];
    snprintf(line, sizeof line, "\n.SS %s\n", name);
    if (!strstr(manual, line)) fail_msg("the manual lacks %s", name);
    Ran help = RUN(name, "--help");
    assert_status(&help, 0);
    for_names(help.out, find_option, manual);
    ran_free(&help);
}

static void test_every_command_and_option_is_in_the_manual(void **state) {
    (void)state;
    char *manual = plain_manual();
    Ran help = RUN("--help");
    for_names(help.out, find_command, manual);
    assert_true(options_seen > 100);
    ran_free(&help);
    free(manual);
}

static void test_the_manual_is_the_same_everywhere(void **state) {
    (void)state;
    assert_int_equal(
        shell("test $('%s' --man | grep -c 'one for each processor') -ge 5", program_path()), 0);
}

static void test_man_has_nothing_to_complain_of(void **state) {
    (void)state;
    if (!there_is("man")) skip();
    Ran ran = RUN("--man");
    file_write(in_folder("headscope.1"), ran.out, strlen(ran.out));
    ran_free(&ran);
    assert_int_equal(
        shell("LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 "
              "-Z %s 2>&1 >/dev/null | grep .",
              in_folder("headscope.1")),
        1);
}

/* What bash offers for the last of the words. */
static void assert_offers(const char *words, const char *offers) {
    char command[1024];
    snprintf(command, sizeof command,
             "bash -c 'source %%s; COMP_WORDS=(%s); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); "
             "_headscope; [[ \"${COMPREPLY[*]}\" == \"%s\" ]] || { echo \"%s: ${COMPREPLY[*]}\"; "
             "false; }'",
             words, offers, words);
    assert_int_equal(shell(command, in_folder("completion")), 0);
}

static void test_bash_completes(void **state) {
    (void)state;
    if (!there_is("bash")) skip();
    Ran ran = RUN("--completion");
    assert_status(&ran, 0);
    file_write(in_folder("completion"), ran.out, strlen(ran.out));
    ran_free(&ran);
    assert_offers("headscope ex", "export explain");
    assert_offers("headscope --ver", "--version");
    assert_offers("headscope train --enc", "--encoder-layers");
    assert_offers("headscope train --norm p", "post pre");
    assert_offers("headscope train --norm=p", "");
    assert_offers("headscope traps --pic", "--picture --picture-width"); /* of all lessons */
    assert_offers("headscope export dates", "");                         /* a file: bash's own */
    assert_offers("headscope nothing --x", "");
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_every_command_and_option_is_in_the_manual),
        TEST(test_the_manual_is_the_same_everywhere),
        TEST(test_man_has_nothing_to_complain_of),
        TEST(test_bash_completes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
