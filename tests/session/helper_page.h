/* Pages of lessons, made as the command line makes them, for reading in tests. */
#ifndef HEADSCOPE_TESTS_SESSION_HELPER_PAGE_H
#define HEADSCOPE_TESTS_SESSION_HELPER_PAGE_H

#include "app/lessons/lesson.h"
#include "model/base/rng.h"

typedef struct Page {
    LessonMaker *maker; /* owned (lesson_free) */
    const LessonPage *page;
} Page;

/* The page of a lesson with words as on its command line, parted by spaces. Fails the test if it is
 * refused. */
Page page_make(const Lesson *lesson, const char *words);

/* The line with which the words are refused, which must be one line of a usage error; `text` of
 * 512. Fails the test if they are not. */
void page_refused(const Lesson *lesson, const char *words, char *text);

/* The index-th table whose column `column` has that name; NULL: there is none. */
const LessonTable *page_table(const LessonPage *page, int column, const char *name, int index);

/* The block of tensors number `index`; NULL: there is none. */
const LessonTensors *page_tensors(const LessonPage *page, int index);

/* Whether some heading, paragraph, note or cell holds the text. */
bool page_says(const LessonPage *page, const char *text);

/* Every button of the page leads to this lesson's page with other words, none of which is refused.
 */
void page_press_all(const Lesson *lesson, const LessonPage *page);

/* A whole number from least to most. */
int page_between(Rng *rng, int least, int most);

#endif
