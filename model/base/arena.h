/* One block for many arrays: the same code walks twice, first to count, then to place. */
#ifndef HEADSCOPE_MODEL_BASE_ARENA_H
#define HEADSCOPE_MODEL_BASE_ARENA_H

#include "model/base/real.h"

typedef struct Arena {
    real *block; /* NULL while counting */
    long used;   /* reals */
} Arena;

/* The next `count` reals, aligned to a cache line; NULL while counting. Not set to anything. */
static inline real *arena_take(Arena *arena, long count) {
    enum { LINE = 64 / (int)sizeof(real) };
    real *place = arena->block ? arena->block + arena->used : (real *)0;
    arena->used += (count + LINE - 1) / LINE * LINE;
    return place;
}

#endif
