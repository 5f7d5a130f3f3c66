#include "app/lessons/lesson_list.h"

#include <string.h>

/* In the order of the menu. Each is also a command (app/main.c). */
static const Lesson *const lessons[] = {
    &lesson_provenance, //
    &lesson_shapes,     //
    &lesson_cost,       //
    &lesson_traps,      //
    &lesson_explain,    //
    &lesson_quiz,       //
    &lesson_acceptance, //
    NULL,               // past the last
};

const Lesson *lesson_at(int index) {
    int last = (int)(sizeof lessons / sizeof lessons[0]) - 1;
    return lessons[index < 0 || index > last ? last : index];
}

const Lesson *lesson_find(const char *name) {
    for (int index = 0; lessons[index]; index++)
        if (strcmp(lessons[index]->name, name) == 0) return lessons[index];
    return NULL;
}

static bool is_file_option(const Lesson *lesson, const char *word) {
    for (int i = 0; i < LESSON_FILES && lesson->files[i]; i++) {
        size_t length = strlen(lesson->files[i]);
        bool same = strncmp(word, lesson->files[i], length) == 0;
        if (same && (word[length] == '\0' || word[length] == '=')) return true;
    }
    return false;
}

/* True also if the words cannot be split. */
bool lesson_names_file(const char *words) {
    Pool pool = {0};
    int count;
    char **list = lesson_split(&pool, words, &count, NULL);
    bool names = !list;
    const Lesson *lesson = list && count ? lesson_find(list[0]) : NULL;
    for (int i = 1; lesson && i < count; i++)
        names = names || is_file_option(lesson, list[i]);
    pool_free(&pool);
    return names;
}
