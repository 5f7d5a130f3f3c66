/* Strings and small arrays that live until the next screen: taken one by one, let go together. */
#ifndef HEADSCOPE_MODEL_BASE_POOL_H
#define HEADSCOPE_MODEL_BASE_POOL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct Pool {
    struct PoolBlock *blocks; /* owned */
    bool failed;              /* memory ended: what was taken since is not to be used */
} Pool;

/* Zeroed bytes, aligned for any type; NULL if memory ends. {0} is an empty pool. */
void *pool_take(Pool *pool, size_t size);

/* A formatted string; "" if memory ends. */
const char *pool_format(Pool *pool, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *pool_format_list(Pool *pool, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* A copy of a string; "" if memory ends. */
const char *pool_copy(Pool *pool, const char *text);

/* Everything taken is given back; the room is kept for the next ones. */
void pool_reset(Pool *pool);
void pool_free(Pool *pool);

#endif
