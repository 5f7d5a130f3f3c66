#ifdef __linux__
#define _DEFAULT_SOURCE /* madvise, MAP_ANONYMOUS */
#endif
#include "model/base/large_memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

enum { CACHE_LINE = 64, HUGE_PAGE = 1 << 21, HUGE_MIN = 1 << 19 };

static void *small_memory(size_t size) {
    void *memory = NULL;
    return posix_memalign(&memory, CACHE_LINE, size) == 0 ? memset(memory, 0, size) : NULL;
}

#if defined(__linux__) && defined(MADV_HUGEPAGE)

static size_t mapped_size(size_t size) {
    return (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
}

/* How much to back with huge pages: clearing one is faster than faulting many small ones, unless
 * less than 3/4 of it is used. */
static size_t huge_size(size_t size) {
    return size < HUGE_PAGE ? HUGE_PAGE : (size + HUGE_PAGE / 4) / HUGE_PAGE * HUGE_PAGE;
}

/* Maps one huge page more than needed, then unmaps what lies before the first page boundary and
 * past the end. */
static void *map_pages(size_t wanted) {
    size_t size = mapped_size(wanted);
    char *memory =
        mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    size_t before = (size_t)(-(uintptr_t)memory % HUGE_PAGE);
    if (before) munmap(memory, before);
    munmap(memory + before + size, HUGE_PAGE - before);
    /* Only advice: it may fail without harm. */
    madvise(memory + before, huge_size(wanted), MADV_HUGEPAGE);
    return memory + before;
}

void *large_memory(size_t size) {
    return size < HUGE_MIN ? small_memory(size) : map_pages(size);
}

void large_memory_free(void *memory, size_t size) {
    if (size < HUGE_MIN)
        free(memory);
    else if (memory)
        munmap(memory, mapped_size(size));
}

#else

void *large_memory(size_t size) {
    return small_memory(size);
}

void large_memory_free(void *memory, size_t size) {
    (void)size;
    free(memory);
}

#endif
