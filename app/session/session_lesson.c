#include "app/session/session_lesson.h"

#include <stdlib.h>
#include <string.h>

#include "app/lessons/lesson_list.h"
#include "app/session/session_inside.h"

const char *session_lesson_words(const Session *session) {
    return session->state.lesson[0] ? session->state.lesson : lesson_at(0)->name;
}

const Lesson *session_lesson_of(const char *words) {
    char name[64];
    size_t length = strcspn(words, " \t");
    if (length == 0) return lesson_at(0);
    if (length >= sizeof name) return NULL;
    memcpy(name, words, length);
    name[length] = '\0';
    return lesson_find(name);
}

/* --help prints to the terminal, which may be out of sight. */
static bool asks_for_help(char **argv, int argc) {
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
    return false;
}

static bool make_page(const Session *session, LessonMaker *maker, const char *words, Error *error) {
    int count;
    char **argv = lesson_split(lesson_pool(maker), words, &count, error);
    const Lesson *lesson = argv && count > 0 ? lesson_find(argv[0]) : NULL;
    if (!argv) return false;
    if (!lesson) return error_usage(error, "there is no lesson of this name");
    Command command = {lesson->name, lesson->arguments, lesson->help, NULL};
    ShownPass shown = session_shown(session);
    LessonCall call = {.command = &command, .argc = count - 1, .argv = argv + 1, .shown = &shown};
    LessonResult result = {0};
    if (asks_for_help(call.argv, call.argc))
        return error_usage(error, "headscope %s %s; in a terminal, --help lists the options",
                           lesson->name, lesson->arguments);
    return lesson->make(maker, &call, &result, error) &&
           (!result.only_help || error_usage(error, "there is nothing to show"));
}

/* A page that does not follow the pass is made for its words alone. */
static LessonKey key_of(const Session *session) {
    const Lesson *lesson = session_lesson_of(session->state.lesson);
    if (!lesson || !lesson->follows_pass) return (LessonKey){0};
    return (LessonKey){.pass = session->pass.key,
                       .loaded = session_loaded(session),
                       .head = session->state.head,
                       .example = session_example(session),
                       .cell_row = session->state.cell_row,
                       .cell_column = session->state.cell_column};
}

static bool same(const LessonKey *a, const LessonKey *b) {
    return pass_key_same(a->pass, b->pass) && weights_key_same(a->loaded, b->loaded) &&
           head_id_same(a->head, b->head) && a->example == b->example &&
           a->cell_row == b->cell_row && a->cell_column == b->cell_column;
}

/* If the words are wrong, `problem` says why, and there is no page. */
void session_lesson_refresh(Session *session) {
    SessionLesson *made = &session->lesson;
    if (session->state.page != PAGE_LESSONS) return;
    const char *words = session_lesson_words(session);
    LessonKey key = key_of(session);
    if (made->words && strcmp(made->words, words) == 0 && same(&made->of, &key)) return;
    lesson_free(made->maker);
    free(made->words);
    *made = (SessionLesson){.maker = lesson_maker(), .words = strdup(words), .of = key};
    if (!made->maker)
        error_set(&made->problem, "out of memory for the lesson");
    else if (make_page(session, made->maker, words, &made->problem))
        made->page = lesson_finish(made->maker, &made->problem);
    if (!made->page && !made->problem.text[0])
        error_set(&made->problem, "there is nothing to show");
}
