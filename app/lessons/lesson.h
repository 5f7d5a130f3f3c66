/* Lessons: a lesson is a name and a function that makes a page (viz/scene/lesson.h) from the words
 * of a command line. The command prints the page; the window shows the same page. */
#ifndef HEADSCOPE_APP_LESSONS_LESSON_H
#define HEADSCOPE_APP_LESSONS_LESSON_H

#include "app/cli/options.h"
#include "app/page/lesson_maker.h"
#include "app/pass/pass.h"

typedef struct LessonCall {
    const Command *command; /* the lesson as a command, for its help */
    const Option *shared;   /* options of all lessons (--picture, ...), for the help; may be NULL */
    int argc;               /* words after the lesson's name, without the shared options */
    char **argv;            /* [argc] */
    const ShownPass *shown; /* in the window, the current pass; NULL on the command line */
} LessonCall;

/* The result besides the page. */
typedef struct LessonResult {
    bool found_fault; /* the command's exit status is 1 */
    bool only_help;   /* --help was printed: there is no page */
} LessonResult;

enum { LESSON_FILES = 4 };

typedef struct Lesson {
    const char *name;      /* of the command, and of the page: `lesson shapes --heads 4` */
    const char *title;     /* in the menu */
    const char *arguments; /* in the help */
    const char *help;      /* one line */
    /* Makes the page. ERROR_USAGE for wrong words. Called again whenever words or pass change; in
     * the window it may take 0.1 s. */
    bool (*make)(LessonMaker *maker, const LessonCall *call, LessonResult *result, Error *error);
    bool follows_pass;               /* in the window, the page shows the current pass */
    const char *files[LESSON_FILES]; /* its options that name a file */
} Lesson;

/* options_parse with the words of the call. False for --help too, which sets result->only_help: a
 * lesson's `make` then returns result->only_help. */
bool lesson_parse(const LessonCall *call, Option *options, const char **words, int min, int max,
                  LessonResult *result, Error *error);

/* Splits text into words, with '...' and "..." as in a shell. Returns [*count] words and a final
 * NULL, in the pool; NULL with ERROR_USAGE for an unclosed quote. */
char **lesson_split(Pool *pool, const char *text, int *count, Error *error);

/* The lessons, one file each (app/lessons/lesson_NAME.c). */
extern const Lesson lesson_provenance, lesson_shapes, lesson_cost, lesson_traps, lesson_explain,
    lesson_quiz, lesson_acceptance;

#endif
