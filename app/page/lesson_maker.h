/* Builds the page of a lesson block by block. Strings and arrays passed in are copied;
 * lesson_finish reports if memory was exhausted. */
#ifndef HEADSCOPE_APP_PAGE_LESSON_MAKER_H
#define HEADSCOPE_APP_PAGE_LESSON_MAKER_H

#include "model/base/pool.h"
#include "viz/scene/lesson.h"

typedef struct LessonMaker LessonMaker;

/* Starts an empty page. NULL if memory is exhausted. Free with lesson_free, which frees the page
 * too. */
LessonMaker *lesson_maker(void);
void lesson_free(LessonMaker *maker); /* NULL is fine */

/* The pool of the page, for strings of the caller. */
Pool *lesson_pool(LessonMaker *maker);

/* Returns the page, valid until lesson_free. NULL with *error if memory was exhausted. */
const LessonPage *lesson_finish(LessonMaker *maker, Error *error);

void lesson_title(LessonMaker *maker, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void lesson_heading(LessonMaker *maker, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void lesson_text(LessonMaker *maker, LessonTone tone, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Starts a table. `columns`: names separated by tabs; a name that starts with `>` is right-aligned,
 * one that starts with `~` holds prose. caption NULL: none. */
void lesson_table(LessonMaker *maker, const char *caption, const char *columns);
/* Adds a row to the last table: cells separated by tabs; missing cells are empty. */
void lesson_row(LessonMaker *maker, LessonTone tone, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void lesson_row_action(LessonMaker *maker, const char *action); /* of the last row */

/* Starts a group of bars; add each with lesson_bar. */
void lesson_bars(LessonMaker *maker, const char *caption, bool is_signed);
void lesson_bar(LessonMaker *maker, const char *name, double share, LessonTone tone,
                const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Starts a row of maps; add each with lesson_map. */
void lesson_maps(LessonMaker *maker, const char *caption, int together);
void lesson_map(LessonMaker *maker, const LessonMap *map);

/* Starts a row of tensors; add each with lesson_tensor. */
void lesson_tensors(LessonMaker *maker, const char *caption, int examples, int steps, int heads);
void lesson_tensor(LessonMaker *maker, const LessonTensor *tensor);

/* Starts a row of buttons, for the window only; add each with lesson_button. */
void lesson_buttons(LessonMaker *maker, const char *caption);
void lesson_button(LessonMaker *maker, const char *label, bool on, const char *tip,
                   const char *action, ...) __attribute__((format(printf, 5, 6)));

#endif
