/* The shape of a call of multi-head attention, as options of lessons give it. */
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

/* text[CALL_DIVISORS] = the numbers of heads that divide a width: "1, 2, 4, 5"; ends in ", ..." if
 * they do not fit. */
void call_divisors(char *text, int width);

/* head_width = width / heads. ERROR_USAGE that lists the divisors if `heads` does not divide. */
bool call_head_width(int *head_width, int width, int heads, Error *error);

/* lens[batch], in the pool, from "3,2" (one per example, each 0..keys); NULL for "none". If `text`
 * is NULL, makes up small lengths that differ: 3,2,1,3,2,1, ... */
bool call_lens(const int **lens, Pool *pool, const char *text, int batch, int keys, Error *error);

/* "(2,4,100)", in the pool; `count` ints follow. */
const char *call_dims(Pool *pool, int count, ...);

/* "[3,3,2]", in the pool; if the numbers take more than `room` characters,
 * "[3,3, ... 40 in all]".
 */
const char *call_list(Pool *pool, const int *numbers, long count, int room);

/* The value of --valid-lens: "3,3,2"; "none" for NULL. */
const char *call_lens_text(Pool *pool, const int *lens, int batch);

#endif
