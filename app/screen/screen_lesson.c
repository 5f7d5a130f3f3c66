/* The page of lessons. A lesson's page is made when its words change or, if it is about the model
 * on show, when that pass does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/lessons/lesson.h"
#include "app/screen/screen_lesson.h"

/* The words of the state, or those of the first lesson. */
static const char *words_of(const Session *session) {
    if (session->state.lesson[0]) return session->state.lesson;
    return lesson_at(0) ? lesson_at(0)->name : "";
}

/* Help goes to the terminal, where nobody may be looking. */
static bool asks_for_help(char **argv, int argc) {
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
    return false;
}

static bool make_page(Session *session, LessonMaker *maker, const char *words, Error *error) {
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

static bool is_current(const Session *session, const char *words, bool follows) {
    const SessionLesson *made = &session->lesson;
    if (!made->words || strcmp(made->words, words) != 0) return false;
    return !follows ||
           (made->pass_version == session->pass_version && made->weights == session->weights &&
            head_id_same(made->head, session->state.head) &&
            made->example == session_example(session) &&
            made->cell_row == session->state.cell_row &&
            made->cell_column == session->state.cell_column);
}

/* Makes the page anew. Where its words are wrong, there is only the reason. */
static void make_anew(Session *session, const char *words) {
    SessionLesson *made = &session->lesson;
    Error error = {0};
    lesson_free(made->maker);
    free(made->words);
    *made = (SessionLesson){.maker = lesson_maker(),
                            .words = strdup(words),
                            .pass_version = session->pass_version,
                            .weights = session->weights,
                            .head = session->state.head,
                            .example = session_example(session),
                            .cell_row = session->state.cell_row,
                            .cell_column = session->state.cell_column};
    if (!made->maker)
        error_set(&error, "out of memory for the lesson");
    else if (make_page(session, made->maker, words, &error))
        made->page = lesson_finish(made->maker, &error);
    if (!made->page)
        snprintf(made->problem, sizeof made->problem, "%s",
                 error.text[0] ? error.text : "there is nothing to show");
}

static void build_menu(ScreenBuilder *builder, ScreenLesson *shown, const Lesson *current) {
    int count = 0;
    while (lesson_at(count))
        count++;
    ScreenLessonEntry *menu = pool_take(builder->pool, (size_t)(count + 1) * sizeof *menu);
    if (!menu) return;
    for (int i = 0; i < count; i++) {
        const Lesson *lesson = lesson_at(i);
        menu[i] =
            (ScreenLessonEntry){.title = lesson->title,
                                .help = lesson->help,
                                .action = pool_format(builder->pool, "lesson %s", lesson->name),
                                .on = lesson == current};
    }
    shown->menu = menu;
    shown->menu_count = count;
}

void screen_build_lesson(ScreenBuilder *builder) {
    Session *session = builder->session;
    ScreenLesson *shown = &builder->screen->lesson;
    const char *words = words_of(session);
    char *name = pool_take(builder->pool, strlen(words) + 1);
    if (!name) return;
    memcpy(name, words, strcspn(words, " \t"));
    const Lesson *lesson = lesson_find(name);
    bool follows = lesson && lesson->follows_pass;
    if (!is_current(session, words, follows)) make_anew(session, words);
    build_menu(builder, shown, lesson);
    /* What prints the same in a terminal, unless it is of the model and texts on show. */
    builder->screen->status = visible_label(
        builder->pool, pool_format(builder->pool, follows ? ": lesson %s" : "headscope %s", words));
    shown->page = session->lesson.page;
    shown->problem = shown->page ? NULL : visible_label(builder->pool, session->lesson.problem);
    shown->scroll = (float)builder->state->lesson_scroll;
    shown->follows = follows;
}
