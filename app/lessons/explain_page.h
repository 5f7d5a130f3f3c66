/* The page that tells one weight from the beginning: the story (model/explain/weight_story.h) in
 * words, tables and bars, each figure used by the next. */
#ifndef HEADSCOPE_APP_LESSONS_EXPLAIN_PAGE_H
#define HEADSCOPE_APP_LESSONS_EXPLAIN_PAGE_H

#include "app/page/lesson_maker.h"
#include "app/pass/pass_story.h"

/* Title, text and buttons of the whole page. */
void explain_page(LessonMaker *maker, const PassStory *told);

#endif
