/* The shown page of a lesson: made again when its words change or, if it follows the pass, when the
 * pass does. For the session's own files. */
#ifndef HEADSCOPE_APP_SESSION_SESSION_LESSON_H
#define HEADSCOPE_APP_SESSION_SESSION_LESSON_H

#include "app/lessons/lesson.h"
#include "app/session/session.h"

/* What a page that follows the pass is made for. */
typedef struct LessonKey {
    PassKey pass;
    WeightsKey loaded;
    HeadId head;
    int example, cell_row, cell_column;
} LessonKey;

typedef struct SessionLesson {
    LessonMaker *maker;     /* owned; NULL: none made yet */
    const LessonPage *page; /* NULL: see problem */
    Error problem;
    char *words; /* owned */
    LessonKey of;
} SessionLesson;

/* The words of the state, or the name of the first lesson. */
const char *session_lesson_words(const Session *session);

/* The lesson that words such as "shapes --heads 4" name, the first lesson if they are empty; NULL
 * if there is none. */
const Lesson *session_lesson_of(const char *words);

/* Makes the page again if it is shown and not current. */
void session_lesson_refresh(Session *session);

#endif
