/* The lesson's page on show: made when its words change or, if it follows the pass, when that does.
 * For the session's own files. */
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

/* The words of the state, or those of the first lesson; and the lesson that they name, NULL if
 * there is none. */
const char *session_lesson_words(const Session *session);
const Lesson *session_lesson_named(const Session *session);

/* Makes the page where it is on show and not current. */
void session_lesson_refresh(Session *session);

#endif
