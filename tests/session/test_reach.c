/* What a picture's recipe may do, and what a picture tells of the person who made it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/commands/command_text.h"
#include "app/commands/commands.h"
#include "app/lessons/lesson_list.h"
#include "app/session/session_inside.h"
#include "app/session/verbs.h"
#include "tests/session/helper_session.h"

/* --- recipes ---------------------------------------------------------------------------------- */

static int make_session(void **state) {
    *state = helper_session((HelperModel){0});
    return *state ? 0 : -1;
}

static int free_session(void **state) {
    session_free(*state);
    return 0;
}

static void refuse(Session *session, const char *recipe, const char *words) {
    Error error = {0};
    char *before = session_recipe(session);
    if (session_restore_picture(session, recipe, &error)) fail_msg("%s: was done", recipe);
    assert_int_equal(error.kind, ERROR_USAGE);
    if (!strstr(error.text, words)) fail_msg("%s: '%s' lacks '%s'", recipe, error.text, words);
    char *after = session_recipe(session);
    assert_string_equal(before, after);
    free(before);
    free(after);
}

static void test_every_verb_says_what_it_reaches(void **state) {
    (void)state;
    for (int id = VERB_NONE + 1; id < VERB_COUNT; id++) {
        const Verb *verb = verb_at((VerbId)id);
        if (verb->reach == REACH_UNSAID) fail_msg("%s: does not say it", verb->help.verb);
        assert_int_equal(verb->reach == REACH_HOST, !session_does((VerbId)id));
        bool file = strstr(verb->help.arguments, "FILE") != NULL;
        if (file && verb->reach == REACH_STATE) fail_msg("%s: takes a file", verb->help.verb);
    }
}

static void test_what_a_picture_may_not(void **state) {
    Session *session = *state;
    for (int id = VERB_SAVE; id <= VERB_QUIT; id++)
        refuse(session, verb_at((VerbId)id)->help.verb,
               "a recipe says what is shown, and does nothing else");
    static const char *const files[] = {
        "against model /dev/zero",
        "against \"model  /dev/zero\"",
        "compare model b.safetensors",
        "lesson acceptance --dump /etc/passwd",
        "lesson acceptance --dump=/etc/passwd",
        "lesson acceptance '--dump' /etc/passwd",
        "lesson \"acceptance --toy a --dump b\"",
        "lesson traps --model FILE --input 12",
        "step 1; lesson traps one-reshape --model=FILE; step 2",
        "lesson traps 'one", /* nobody knows what that is */
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        refuse(session, files[i], "a recipe in a picture opens no file");
    static const char *const fine[] = {"against plain", "lesson acceptance --preset d2l",
                                       "lesson traps one-reshape", "compare cross.0.0 cross.0.1"};
    Error error = {0};
    for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++)
        if (!session_restore_picture(session, fine[i], &error)) fail_msg("%s", error.text);
    /* The person's own state may. */
    assert_true(session_restore(session, "against model b.safetensors", &error));
    assert_true(session_restore(session, "lesson acceptance --dump a.npz", &error));
}

static void test_a_picture_names_no_file(void **state) {
    Session *session = *state;
    Error error = {0};
    assert_true(session_apply_text(session,
                                   "against model /home/me/b.safetensors; difference on; lesson "
                                   "acceptance --dump /home/me/a.npz --seed 3",
                                   &error));
    char *whole = session_recipe(session), *told = session_picture_recipe(session);
    assert_non_null(strstr(whole, "/home/me/b.safetensors"));
    assert_non_null(strstr(whole, "/home/me/a.npz"));
    assert_null(strstr(told, "/home"));
    assert_non_null(strstr(told, "lesson acceptance"));
    if (!session_restore_picture(session, told, &error)) fail_msg("%s", error.text);
    free(whole);
    free(told);
}

/* --- the lessons' options --------------------------------------------------------------------- */

/* What a lesson prints for --help. */
static void help_of(const Lesson *lesson, char *text, size_t size) {
    char word[] = "--help", *words[] = {word, NULL};
    Command command = {lesson->name, lesson->arguments, lesson->help, command_lesson};
    LessonCall call = {.command = &command, .argc = 1, .argv = words};
    LessonResult result = {0};
    LessonMaker *maker = lesson_maker();
    FILE *file = tmpfile();
    Error error = {0};
    assert_non_null(maker);
    assert_non_null(file);
    fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    bool good = lesson->make(maker, &call, &result, &error);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    rewind(file);
    size_t read = fread(text, 1, size - 1, file);
    text[read] = '\0';
    fclose(file);
    lesson_free(maker);
    assert_true(good && result.only_help && read > 0);
}

static void test_lessons_list_their_files(void **state) {
    (void)state;
    int found = 0;
    for (int i = 0; lesson_at(i); i++) {
        static char text[1 << 14];
        help_of(lesson_at(i), text, sizeof text);
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
            char option[40], argument[40];
            if (sscanf(line, "  %39s %39s", option, argument) != 2) continue;
            if (option[0] != '-' || strncmp(argument, "FILE", 4) != 0) continue;
            char words[120];
            snprintf(words, sizeof words, "%s %s a", lesson_at(i)->name, option);
            if (!lesson_names_file(words)) fail_msg("%s: not among its files", words);
            found++;
        }
    }
    assert_int_equal(found, 3);
}

/* --- the command ------------------------------------------------------------------------------ */

static void assert_told(const char *const *words, const char *expected) {
    const char *input = NULL, *output = NULL, *actions = NULL;
    bool each = false;
    Option options[] = {{"--input", OPTION_TEXT, &input, "TEXT", "", 0, 0, false},
                        {"-o", OPTION_TEXT, &output, "PATH", "", 0, 0, false},
                        {"--do", OPTION_TEXT, &actions, "ACTIONS", "", 0, 0, false},
                        {"--each", OPTION_FLAG, &each, NULL, "", 0, 0, false},
                        {0}};
    char *copies[12];
    int count = 0;
    for (; words[count]; count++)
        copies[count] = strdup(words[count]);
    char *text = command_text("headscope x", options, count, copies);
    assert_string_equal(text, expected);
    free(text);
    for (int i = 0; i < count; i++)
        free(copies[i]);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_the_command_tells_names_alone(void **state) {
    (void)state;
    assert_told(WORDS("/home/me/m.safetensors", "--input", "3/4/2021", "-o", "/home/me/a b.png"),
                "headscope x m.safetensors --input 3/4/2021 -o 'a b.png'");
    assert_told(WORDS("--input=3/4", "-o=../me/out/", "--each", "../m"),
                "headscope x --input=3/4 -o=out/ --each m");
    assert_told(WORDS("--", "/home/me/-m"), "headscope x -- -m");
    assert_told(WORDS("--do", "input 3/4/2021; save /home/me x/a b.png 2; sheet; step 2"),
                "headscope x --do 'input 3/4/2021; save a b.png 2; sheet; step 2'");
    assert_told(WORDS("--do", "against model /home/me/a b/m; lesson traps --model /home/me/m"),
                "headscope x --do 'against model m; lesson traps --model m'");
    assert_told(WORDS("--do=open /home/me/m; train save /home/me/n; input \"; /a/b\""),
                "headscope x '--do=open m; train save n; input \"; /a/b\"'");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_verb_says_what_it_reaches),
        cmocka_unit_test_setup_teardown(test_what_a_picture_may_not, make_session, free_session),
        cmocka_unit_test_setup_teardown(test_a_picture_names_no_file, make_session, free_session),
        cmocka_unit_test(test_lessons_list_their_files),
        cmocka_unit_test(test_the_command_tells_names_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
