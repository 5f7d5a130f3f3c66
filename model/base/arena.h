/* One block for many arrays: the same code runs twice, first to count, then to place. */
#ifndef HEADSCOPE_MODEL_BASE_ARENA_H
#define HEADSCOPE_MODEL_BASE_ARENA_H

#include "model/base/real.h"

typedef struct Arena {
    real *block; /* NULL while counting */
    long used;   /* reals */
} Arena;

/* Returns the next `count` reals, uninitialised and aligned to a cache line; NULL while counting.
 */
static inline real *arena_take(Arena *arena, long count) {
    enum { LINE = 64 / (int)sizeof(real) };
    real *start = arena->block ? arena->block + arena->used : (real *)0;
    arena->used += (count + LINE - 1) / LINE * LINE;
    return start;
}

#endif
