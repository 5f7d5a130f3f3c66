/* Makes the page of a lesson block by block. Strings and arrays that are passed in are copied;
 * where memory ends, the maker says so once, at lesson_finish. */
#ifndef HEADSCOPE_APP_PAGE_LESSON_MAKER_H
#define HEADSCOPE_APP_PAGE_LESSON_MAKER_H

#include "model/base/pool.h"
#include "viz/scene/lesson.h"

typedef struct LessonMaker LessonMaker;

/* The page is empty. NULL for lack of memory. Free with lesson_free, and the page with it. */
LessonMaker *lesson_maker(void);
void lesson_free(LessonMaker *maker); /* NULL is fine */

/* Where all that is passed lives on; for strings of one's own. */
Pool *lesson_pool(LessonMaker *maker);

/* The page, good until lesson_free. NULL with *error where memory ended. */
const LessonPage *lesson_finish(LessonMaker *maker, Error *error);

void lesson_title(LessonMaker *maker, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void lesson_heading(LessonMaker *maker, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void lesson_text(LessonMaker *maker, LessonTone tone, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A table; `columns` names them, parted by tabs: a name that begins with `>` is aligned at the
 * right, one that begins with `~` holds prose. caption NULL: none. Rows follow. */
void lesson_table(LessonMaker *maker, const char *caption, const char *columns);
/* A row of the last table, its cells parted by tabs; those that are left out are empty. */
void lesson_row(LessonMaker *maker, LessonTone tone, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void lesson_row_action(LessonMaker *maker, const char *action); /* of the row before */

/* Bars; each follows. */
void lesson_bars(LessonMaker *maker, const char *caption, bool is_signed);
void lesson_bar(LessonMaker *maker, const char *name, double share, LessonTone tone,
                const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Maps side by side; each follows. All arrays of it are copied. */
void lesson_maps(LessonMaker *maker, const char *caption, int together);
void lesson_map(LessonMaker *maker, const LessonMap *map);

/* Tensors side by side; each follows. All arrays of it are copied. */
void lesson_tensors(LessonMaker *maker, const char *caption, int examples, int steps, int heads);
void lesson_tensor(LessonMaker *maker, const LessonTensor *tensor);

/* Buttons, in the window alone; each follows. */
void lesson_buttons(LessonMaker *maker, const char *caption);
void lesson_button(LessonMaker *maker, const char *label, bool on, const char *tip,
                   const char *action, ...) __attribute__((format(printf, 5, 6)));

#endif
