#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/commands/command_text.h"
#include "app/commands/commands.h"
#include "app/lessons/lesson_list.h"
#include "app/page/lesson_file.h"
#include "app/page/lesson_print.h"

static bool run(const Lesson *lesson, const LessonCall *call, const LessonFile *file,
                Error *error) {
    LessonMaker *maker = lesson_maker();
    if (!maker) return error_set(error, "out of memory");
    LessonResult result = {0};
    const LessonPage *page = NULL;
    bool done = lesson_file_check(file, error) && lesson->make(maker, call, &result, error);
    if (done && !result.only_help) {
        page = lesson_finish(maker, error);
        done = page && lesson_print(stdout, page, error) && lesson_file_draw(file, page, error);
    }
    lesson_free(maker);
    return done && result.found_fault ? error_found(error) : done;
}

bool command_lesson(const Command *command, int argc, char **argv, Error *error) {
    const Lesson *lesson = lesson_find(command->name);
    if (!lesson) return error_set(error, "there is no such lesson");
    LessonFile file = lesson_file();
    Option options[LESSON_FILE_OPTIONS + 1] = {0};
    lesson_file_options(options, &file);
    char name[64];
    snprintf(name, sizeof name, "headscope %s", command->name);
    Option known[LESSON_FILE_OPTIONS + LESSON_FILES + 1] = {0};
    memcpy(known, options, sizeof *options * LESSON_FILE_OPTIONS);
    for (int i = 0; i < LESSON_FILES && lesson->files[i]; i++)
        known[LESSON_FILE_OPTIONS + i] =
            (Option){.name = lesson->files[i], .kind = OPTION_TEXT, .argument = "FILE"};
    char *typed = command_text(name, known, argc, argv);
    if (!typed) return error_set(error, "out of memory");
    file.typed = typed;
    LessonCall call = {.command = command, .shared = options, .argc = argc, .argv = argv};
    bool done = options_take(options, &call.argc, argv, error) && run(lesson, &call, &file, error);
    free(typed);
    return done;
}
