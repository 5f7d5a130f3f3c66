#include "app/lesson.h"

#include <string.h>

/* In the order of the menu. Each makes a command of its own (app/main.c). */
static const Lesson *const lessons[] = {
    &lesson_provenance, &lesson_shapes, &lesson_cost,       &lesson_traps,
    &lesson_explain,    &lesson_quiz,   &lesson_acceptance, NULL, /* past the last */
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
