/* Strings and small arrays that are allocated one by one and freed together. */
#ifndef HEADSCOPE_MODEL_BASE_POOL_H
#define HEADSCOPE_MODEL_BASE_POOL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct Pool {
    struct PoolBlock *blocks; /* owned */
    bool failed;              /* an allocation failed: the contents are incomplete */
} Pool;

/* Returns zeroed bytes, aligned for any type; NULL for lack of memory. {0} is an empty pool. */
void *pool_take(Pool *pool, size_t size);

/* Returns a formatted string; "" for lack of memory. */
const char *pool_format(Pool *pool, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *pool_format_list(Pool *pool, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* Returns a copy of a string; "" for lack of memory. */
const char *pool_copy(Pool *pool, const char *text);

/* Frees everything that was taken, and keeps the memory for reuse. */
void pool_reset(Pool *pool);
void pool_free(Pool *pool);

#endif
