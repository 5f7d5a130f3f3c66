/* The quiz as a page. It depends on its words alone: the seed gives the questions, the answers the
 * choices taken so far. */
#include <stdlib.h>

#include "app/lessons/lesson.h"
#include "app/lessons/quiz.h"
#include "model/base/rng.h"

enum { MAX_QUESTIONS = 200 };

typedef struct Drill {
    uint64_t seed;
    int count;
    int answers[MAX_QUESTIONS]; /* choices from 1; 0: the answer was shown */
    int answered, right;
} Drill;

static bool bad_answers(const char *text, const char *what, Error *error) {
    return error_usage(error, "--answers %s: %s; it takes the choices taken so far, as 2,1,3", text,
                       what);
}

/* Reads and checks the answers. */
static bool read_answers(Drill *drill, const char *text, Error *error) {
    for (const char *at = text; at && *at;) {
        char *end;
        long choice = strtol(at, &end, 10);
        if (*at < '0' || *at > '9' || (*end != ',' && *end != '\0') ||
            (*end == ',' && end[1] == '\0'))
            return bad_answers(text, "it cannot be read", error);
        if (drill->answered == drill->count)
            return bad_answers(text, "there are more answers than questions", error);
        QuizQuestion question;
        quiz_ask(&question, drill->seed, drill->answered);
        if (choice > question.choice_count)
            return bad_answers(text, "a question has no such choice", error);
        drill->right += choice == question.right + 1;
        drill->answers[drill->answered++] = (int)choice;
        at = *end == ',' ? end + 1 : end;
    }
    return true;
}

/* "lesson quiz --seed 7 --count 10 --answers 2,1,3" with one more answer, in the pool. */
static const char *answer_action(LessonMaker *maker, const Drill *drill, int choice) {
    Pool *pool = lesson_pool(maker);
    const char *answers = "";
    for (int i = 0; i < drill->answered; i++)
        answers = pool_format(pool, "%s%d,", answers, drill->answers[i]);
    return pool_format(pool, "lesson quiz --seed %llu --count %d --answers %s%d",
                       (unsigned long long)drill->seed, drill->count, answers, choice);
}

static void show_verdict(LessonMaker *maker, const Drill *drill) {
    QuizQuestion question;
    int number = drill->answered, taken = drill->answers[number - 1] - 1;
    quiz_ask(&question, drill->seed, number - 1);
    bool right = taken == question.right;
    const QuizChoice *choice = taken < 0 ? NULL : &question.choices[taken];
    lesson_heading(maker, "Question %d: %s", number, right ? "right" : choice ? "wrong" : "shown");
    lesson_text(maker, TONE_FAINT, "%s", question.text);
    if (choice && !right)
        lesson_text(maker, TONE_WRONG, "You said %s.%s%s", choice->label, choice->note ? " " : "",
                    choice->note ? choice->note : "");
    lesson_text(maker, TONE_GOOD, "%s %s", right ? "Yes:" : "It is",
                question.choices[question.right].label);
    lesson_text(maker, TONE_PLAIN, "%s", question.why);
}

static void show_question(LessonMaker *maker, const Drill *drill) {
    QuizQuestion question;
    quiz_ask(&question, drill->seed, drill->answered);
    lesson_heading(maker, "Question %d of %d", drill->answered + 1, drill->count);
    lesson_text(maker, TONE_STRONG, "%s", question.text);
    lesson_buttons(maker, NULL);
    for (int i = 0; i < question.choice_count; i++)
        lesson_button(maker, question.choices[i].label, false, NULL, "%s",
                      answer_action(maker, drill, i + 1));
    lesson_button(maker, "show me", false, "the answer, without a point", "%s",
                  answer_action(maker, drill, 0));
}

/* The table of all questions, at the end. */
static void show_table(LessonMaker *maker, const Drill *drill) {
    lesson_heading(maker, "All of it");
    lesson_table(maker, NULL, ">question\tabout\tyours\tright");
    for (int i = 0; i < drill->answered; i++) {
        QuizQuestion question;
        quiz_ask(&question, drill->seed, i);
        int taken = drill->answers[i] - 1;
        lesson_row(maker, taken == question.right ? TONE_GOOD : TONE_WRONG, "%d\t%s\t%s\t%s", i + 1,
                   question.kind, taken < 0 ? "-" : question.choices[taken].label,
                   question.choices[question.right].label);
    }
}

static void show_score(LessonMaker *maker, const Drill *drill) {
    if (drill->answered == 0) {
        lesson_text(maker, TONE_PLAIN,
                    "Shapes, heads and masks, each question on shapes of its own. All answers are "
                    "computed from them. In a terminal, without choices: headscope quiz");
        return;
    }
    lesson_bars(maker, NULL, false);
    lesson_bar(maker, "score", (double)drill->right / drill->answered, TONE_GOOD, "%d of %d right",
               drill->right, drill->answered);
    lesson_bar(maker, "asked", (double)drill->answered / drill->count, TONE_FAINT, "%d of %d",
               drill->answered, drill->count);
}

static void show_restart(LessonMaker *maker, const Drill *drill) {
    unsigned long long seed = drill->seed, fresh = rng_mix(seed + 1) % 1000000;
    lesson_buttons(maker, NULL);
    if (drill->answered)
        lesson_button(maker, "from the start", false, "the same questions",
                      "lesson quiz --seed %llu --count %d", seed, drill->count);
    lesson_button(maker, "other questions", false, "of another seed",
                  "lesson quiz --seed %llu --count %d", fresh, drill->count);
}

static bool make(LessonMaker *maker, const LessonCall *call, LessonResult *result, Error *error) {
    Drill drill = {.seed = 1, .count = 10};
    const char *answers = NULL;
    Option options[] = {
        {"--seed", OPTION_SEED, &drill.seed, "N", "which questions", 0, 0, false},
        {"--count", OPTION_INT, &drill.count, "N", "questions", 1, MAX_QUESTIONS, false},
        {"--answers", OPTION_TEXT, &answers, "LIST", "the choices taken so far, as 2,1,3", 0, 0,
         false},
        {0},
    };
    if (!lesson_parse(call, options, NULL, 0, 0, result, error)) return result->only_help;
    if (!read_answers(&drill, answers, error)) return false;
    lesson_title(maker, "Quiz");
    show_score(maker, &drill);
    if (drill.answered) show_verdict(maker, &drill);
    if (drill.answered < drill.count)
        show_question(maker, &drill);
    else
        show_table(maker, &drill);
    show_restart(maker, &drill);
    return true;
}

const Lesson lesson_quiz = {
    .name = "quiz",
    .title = "Quiz",
    .arguments = "[--seed N] [--count N]",
    .help = "Asks about shapes, heads and masks, each time on fresh ones, and keeps the score.",
    .make = make,
};
