#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/cli/lines.h"
#include "app/cli/text_columns.h"
#include "app/commands/commands.h"
#include "app/lessons/lesson.h"
#include "app/lessons/quiz.h"
#include "model/base/rng.h"

enum { COLUMNS = 96 };

typedef struct Drill {
    uint64_t seed;
    int count, asked, right;
    bool terminal; /* input is typed: ask again if a line cannot be read */
    Lines lines;
    bool failed; /* reading */
    Error *error;
    const char *missed[100]; /* kinds answered wrongly, each once */
    int missed_count;
} Drill;

static void print_wrapped(const char *text) {
    size_t length;
    for (const char *line = text; text_columns_wrap(&text, COLUMNS, &length); line = text)
        printf("%.*s\n", (int)length, line);
}

/* The next line without its end; NULL at the end of input, and where it cannot be read. */
static const char *read_line(Drill *drill) {
    const char *line;
    printf("> ");
    fflush(stdout);
    if (!lines_next(&drill->lines, &line, drill->error)) drill->failed = true;
    if (line && !drill->terminal) printf("%s\n", line);
    return line;
}

static bool says_quit(const char *line) {
    while (*line == ' ' || *line == '\t')
        line++;
    size_t length = strcspn(line, " \t");
    return line[length + strspn(line + length, " \t")] == '\0' &&
           ((length == 1 && *line == 'q') || (length == 4 && strncmp(line, "quit", 4) == 0));
}

static void print_question(const QuizQuestion *question, int number, int count) {
    char text[QUIZ_TEXT + 40];
    snprintf(text, sizeof text, "%d of %d. %s", number, count, question->text);
    printf("\n");
    print_wrapped(text);
    for (int i = 0; question->form == QUIZ_WORDS && i < question->choice_count; i++)
        printf("  %c) %s\n", 'a' + i, question->choices[i].label);
    printf("Answer %s.\n", quiz_form_hint(question->form));
}

static void print_verdict(const QuizQuestion *question, QuizVerdict verdict, int choice) {
    char text[2 * QUIZ_TEXT];
    const char *right = question->choices[question->right].label;
    const char *note = choice >= 0 ? question->choices[choice].note : NULL;
    if (verdict == QUIZ_RIGHT)
        snprintf(text, sizeof text, "Right: %s. %s", right, question->why);
    else
        snprintf(text, sizeof text, "%s: it is %s. %s%s%s",
                 verdict == QUIZ_WRONG ? "Wrong" : "That cannot be read as an answer", right,
                 note ? note : "", note ? " " : "", question->why);
    print_wrapped(text);
}

static void note_missed(Drill *drill, const char *kind) {
    enum { MAX = sizeof drill->missed / sizeof drill->missed[0] };
    for (int i = 0; i < drill->missed_count; i++)
        if (drill->missed[i] == kind) return;
    if (drill->missed_count < MAX) drill->missed[drill->missed_count++] = kind;
}

/* Asks one question; false at q or the end of input. */
static bool ask(Drill *drill) {
    QuizQuestion question;
    quiz_ask(&question, drill->seed, drill->asked);
    print_question(&question, drill->asked + 1, drill->count);
    QuizVerdict verdict = QUIZ_UNREAD;
    int choice = -1;
    do {
        const char *line = read_line(drill);
        if (!line || says_quit(line)) return false;
        verdict = quiz_read(&question, line, &choice);
        if (verdict == QUIZ_UNREAD && drill->terminal)
            printf("That cannot be read: answer %s, or q to end.\n", quiz_form_hint(question.form));
    } while (verdict == QUIZ_UNREAD && drill->terminal);
    print_verdict(&question, verdict, choice);
    drill->asked++;
    drill->right += verdict == QUIZ_RIGHT;
    if (verdict != QUIZ_RIGHT) note_missed(drill, question.kind);
    return true;
}

static void print_score(const Drill *drill) {
    printf("\nScore: %d of %d right", drill->right, drill->asked);
    if (drill->asked) printf(" (%.0f %%)", 100.0 * drill->right / drill->asked);
    printf(".\n");
    char text[QUIZ_TEXT];
    int length = snprintf(text, sizeof text, "To look at again:");
    for (int i = 0; i < drill->missed_count && length < QUIZ_TEXT; i++)
        length += snprintf(text + length, (size_t)(QUIZ_TEXT - length), "%s %s", i ? "," : "",
                           drill->missed[i]);
    if (drill->missed_count) print_wrapped(text);
    printf("The same questions again: headscope quiz --seed %llu --count %d\n",
           (unsigned long long)drill->seed, drill->count);
}

/* Short enough to be typed. */
static uint64_t fresh_seed(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return rng_mix((uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec) % 1000000;
}

/* True if the page or a picture of it is requested. */
static bool wants_page(int argc, char **argv) {
    for (int i = 0; i < argc; i++)
        if (strncmp(argv[i], "--answers", 9) == 0 || strncmp(argv[i], "--picture", 9) == 0)
            return true;
    return false;
}

bool command_quiz(const Command *command, int argc, char **argv, Error *error) {
    if (wants_page(argc, argv)) return command_lesson(command, argc, argv, error);
    Drill drill = {
        .count = 10, .terminal = isatty(STDIN_FILENO), .lines = {.stream = stdin}, .error = error};
    Option options[] = {
        {"--seed", OPTION_SEED, &drill.seed, "N", "the same questions again; else fresh ones", 0, 0,
         false},
        {"--count", OPTION_INT, &drill.count, "N", "questions", 1, 10000, false},
        {0},
    };
    ParseResult parsed = options_parse(command, options, NULL, 0, 0, argc, argv, error);
    if (parsed != PARSE_DONE) return parsed == PARSE_HELP;
    if (!options[0].given) drill.seed = fresh_seed();
    printf("Shapes, heads and masks: %d question%s. `q` ends.\n", drill.count,
           drill.count == 1 ? "" : "s");
    while (drill.asked < drill.count && ask(&drill)) {
    }
    print_score(&drill);
    lines_free(&drill.lines);
    return !drill.failed;
}
