#ifdef __linux__
#define _DEFAULT_SOURCE /* madvise, MAP_ANONYMOUS */
#endif
#include "model/large_memory.h"

#include <stdint.h>
#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#if defined(__linux__) && defined(MADV_HUGEPAGE)

enum { LARGE_PAGE = 1 << 21, LARGE_FROM = 1 << 19 };

/* In whole pages: a large one is cleared sooner than a few dozen small ones are had. */
static size_t whole_pages(size_t size) {
    return (size + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
}

/* A page more than is needed, of which what lies before a page's edge and past the end goes back.
 */
static void *map_pages(size_t size) {
    char *memory =
        mmap(NULL, size + LARGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    size_t before = (size_t)(-(uintptr_t)memory % LARGE_PAGE);
    if (before) munmap(memory, before);
    munmap(memory + before + size, LARGE_PAGE - before);
    madvise(memory + before, size, MADV_HUGEPAGE); /* a wish: nothing is lost if it is not met */
    return memory + before;
}

void *large_memory(size_t size) {
    return size < LARGE_FROM ? calloc(size, 1) : map_pages(whole_pages(size));
}

void large_memory_free(void *memory, size_t size) {
    if (size < LARGE_FROM)
        free(memory);
    else if (memory)
        munmap(memory, whole_pages(size));
}

#else

void *large_memory(size_t size) {
    return calloc(size, 1);
}

void large_memory_free(void *memory, size_t size) {
    (void)size;
    free(memory);
}

#endif
