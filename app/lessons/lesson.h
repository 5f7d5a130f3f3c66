/* Lessons: each is a name, and a function that makes a page (viz/scene/lesson.h) from words as they
 * stand on a command line. The command prints that page, the window shows it: one source for both.
 */
#ifndef HEADSCOPE_APP_LESSONS_LESSON_H
#define HEADSCOPE_APP_LESSONS_LESSON_H

#include "app/cli/options.h"
#include "app/page/lesson_maker.h"
#include "app/pass/pass.h"

/* What a lesson is asked. */
typedef struct LessonCall {
    const Command *command; /* for options_parse; its help is the lesson's */
    int argc;               /* the words after the lesson's name, without the options that all */
    char **argv;            /* lessons share (--picture and what belongs to it) */
    const ShownPass *shown; /* in the window, the pass on show; NULL on the command line */
} LessonCall;

/* What came of it besides the page. */
typedef struct LessonResult {
    bool found_fault; /* the command's exit status is 1 */
    bool only_help;   /* --help was printed: there is no page */
} LessonResult;

enum { LESSON_FILES = 4 };

typedef struct Lesson {
    const char *name;      /* of the command, and of the page: `lesson shapes --heads 4` */
    const char *title;     /* in the menu */
    const char *arguments; /* as help shows them */
    const char *help;      /* one line */
    /* Makes the page. ERROR_USAGE for words that it does not take. Called again whenever words or
     * pass change; in the window it may take a tenth of a second. */
    bool (*make)(LessonMaker *maker, const LessonCall *call, LessonResult *result, Error *error);
    bool follows_pass;               /* in the window: its page follows the pass on show */
    const char *files[LESSON_FILES]; /* those of its options that name a file */
} Lesson;

/* options_parse with the words of the call. False for --help too, which sets result->only_help: a
 * lesson's `make` then returns result->only_help. */
bool lesson_parse(const LessonCall *call, Option *options, const char **words, int min, int max,
                  LessonResult *result, Error *error);

/* In the order of the menu; NULL past the last. */
const Lesson *lesson_at(int index);
const Lesson *lesson_find(const char *name);

/* Whether the words of the verb `lesson`, its name first, name a file to be read. */
bool lesson_names_file(const char *words);

/* Cuts words as they stand on a command line, '...' and "..." as a shell takes them: an array of
 * *count, in the pool with a NULL at its end. ERROR_USAGE for a quote without its end. */
char **lesson_split(Pool *pool, const char *text, int *count, Error *error);

/* The command of that lesson: makes, prints, draws where --picture asks. Every lesson of the
 * registry is such a command (app/main.c). Where a fault was found it returns error_found. */
bool command_lesson(const Command *command, int argc, char **argv, Error *error);

/* The lessons, one file each (app/lessons/lesson_NAME.c). */
extern const Lesson lesson_provenance, lesson_shapes, lesson_cost, lesson_traps, lesson_explain,
    lesson_quiz, lesson_acceptance;

#endif
