/* The list of lessons. */
#ifndef HEADSCOPE_APP_LESSONS_LESSON_LIST_H
#define HEADSCOPE_APP_LESSONS_LESSON_LIST_H

#include "app/lessons/lesson.h"

/* In the order of the menu; NULL past the last. */
const Lesson *lesson_at(int index);
const Lesson *lesson_find(const char *name);

/* True if the words of the verb `lesson`, the lesson's name first, name a file to be read. */
bool lesson_names_file(const char *words);

#endif
