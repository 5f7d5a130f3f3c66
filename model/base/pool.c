#include "model/base/pool.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_SIZE = 1 << 16 };

typedef struct PoolBlock {
    struct PoolBlock *next;
    size_t size, used;
    alignas(max_align_t) unsigned char bytes[];
} PoolBlock;

static PoolBlock *add_block(Pool *pool, size_t size) {
    if (size < BLOCK_SIZE) size = BLOCK_SIZE;
    PoolBlock *block = malloc(sizeof *block + size);
    if (!block) return NULL;
    *block = (PoolBlock){.next = pool->blocks, .size = size};
    pool->blocks = block;
    return block;
}

void *pool_take(Pool *pool, size_t size) {
    size_t align = alignof(max_align_t);
    size = (size + align - 1) / align * align;
    if (size == 0) size = align;
    PoolBlock *block = pool->blocks;
    if (!block || block->size - block->used < size) block = add_block(pool, size);
    if (!block) {
        pool->failed = true;
        return NULL;
    }
    void *taken = block->bytes + block->used;
    block->used += size;
    memset(taken, 0, size);
    return taken;
}

const char *pool_format_list(Pool *pool, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 ? NULL : pool_take(pool, (size_t)length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, arguments);
    return text ? text : "";
}

const char *pool_format(Pool *pool, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *text = pool_format_list(pool, format, arguments);
    va_end(arguments);
    return text;
}

const char *pool_copy(Pool *pool, const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = pool_take(pool, size);
    if (copy) memcpy(copy, text, size);
    return copy ? copy : "";
}

/* Replaces several blocks by one that holds as much, so that the next round needs only one. */
void pool_reset(Pool *pool) {
    size_t total = 0;
    bool several = pool->blocks && pool->blocks->next;
    for (PoolBlock *block = pool->blocks; block; block = block->next)
        total += block->size;
    if (several) {
        pool_free(pool);
        add_block(pool, total);
    }
    if (pool->blocks) pool->blocks->used = 0;
    pool->failed = false;
}

void pool_free(Pool *pool) {
    PoolBlock *next;
    for (PoolBlock *block = pool->blocks; block; block = next) {
        next = block->next;
        free(block);
    }
    *pool = (Pool){0};
}
