#include <stdio.h>

#include "app/lesson.h"
#include "app/lesson_print.h"

static bool show(const LessonPage *page, const LessonResult *result, Error *error) {
    if (!page || !lesson_print(stdout, page, error)) return false;
    return !result->found_fault || error_found(error);
}

bool command_lesson(const Command *command, int argc, char **argv, Error *error) {
    const Lesson *lesson = lesson_find(command->name);
    if (!lesson) return error_set(error, "there is no such lesson");
    Option options[] = {{0}};
    if (!options_take(options, &argc, argv, error)) return false;
    LessonMaker *maker = lesson_maker();
    if (!maker) return error_set(error, "out of memory");
    LessonCall call = {.command = command, .argc = argc, .argv = argv};
    LessonResult result = {0};
    bool done = lesson->make(maker, &call, &result, error);
    if (done && !result.only_help) done = show(lesson_finish(maker, error), &result, error);
    lesson_free(maker);
    return done;
}
