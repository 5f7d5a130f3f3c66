/* The page of lessons. */
#include "app/screen/screen_lesson.h"

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
    const Session *session = builder->session;
    ScreenLesson *shown = &builder->screen->lesson;
    const char *words = session_lesson_words(session);
    const Lesson *lesson = session_lesson_named(session);
    bool follows = lesson && lesson->follows_pass;
    build_menu(builder, shown, lesson);
    /* What prints the same in a terminal, unless it is of the model and texts on show. */
    builder->screen->status = visible_label(
        builder->pool, pool_format(builder->pool, follows ? ": lesson %s" : "headscope %s", words));
    shown->page = session->lesson.page;
    shown->problem =
        shown->page ? NULL : visible_label(builder->pool, session->lesson.problem.text);
    shown->scroll = (float)builder->state->lesson_scroll;
    shown->follows = follows;
}
