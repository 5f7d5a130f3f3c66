/* The shape of one call of multi-head attention as options give it, for the lessons. */
#ifndef HEADSCOPE_APP_LESSONS_CALL_SHAPE_H
#define HEADSCOPE_APP_LESSONS_CALL_SHAPE_H

#include "model/base/error.h"
#include "model/base/pool.h"
#include "model/kernels/mistakes.h"

enum {
    CALL_BATCH_MAX = 1024,
    CALL_STEPS_MAX = 4096,
    CALL_WIDTH_MAX = 16384,
    CALL_HEADS_MAX = 1024
};

enum { CALL_DIVISORS = 240 };

/* "1, 2, 4, 5" into [CALL_DIVISORS]: the numbers of heads that divide a width; ", ..." after the
 * last that has room. */
void call_divisors(char *text, int width);

/* head_width = width / heads. A usage error that lists the counts that divide where this one does
 * not. */
bool call_head_width(int *head_width, int width, int heads, Error *error);

/* lens [batch] `=`, in the pool, from "3,2" (as many as the batch, each 0..keys), or NULL from
 * "none". `text` NULL: small ones that differ, 3,2,1,3,2,1 and so on where there are keys enough.
 */
bool call_lens(const int **lens, Pool *pool, const char *text, int batch, int keys, Error *error);

/* "(2,4,100)", in the pool; `count` ints follow. */
const char *call_dims(Pool *pool, int count, ...);

/* "[3,3,2]", in the pool; where the numbers take more than `room` letters, "[3,3, ... 40 in all]".
 */
const char *call_list(Pool *pool, const int *numbers, long count, int room);

/* The same in words a shell takes: "3,3,2"; "none" for NULL. */
const char *call_lens_text(Pool *pool, const int *lens, int batch);

#endif
