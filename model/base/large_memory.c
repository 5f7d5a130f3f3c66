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

enum { CACHE_LINE = 64, LARGE_PAGE = 1 << 21, LARGE_FROM = 1 << 19 };

static void *small_memory(size_t size) {
    void *memory = NULL;
    return posix_memalign(&memory, CACHE_LINE, size) == 0 ? memset(memory, 0, size) : NULL;
}

#if defined(__linux__) && defined(MADV_HUGEPAGE)

/* Mapped in whole pages. */
static size_t mapped_size(size_t size) {
    return (size + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
}

/* What of them is to be large: a large page is cleared sooner than a few dozen small ones are had,
 * but one of which less than three quarters are used would take too much. */
static size_t large_size(size_t size) {
    return size < LARGE_PAGE ? LARGE_PAGE : (size + LARGE_PAGE / 4) / LARGE_PAGE * LARGE_PAGE;
}

/* A page more than is needed, of which what lies before a page's edge and past the end goes back.
 */
static void *map_pages(size_t wanted) {
    size_t size = mapped_size(wanted);
    char *memory =
        mmap(NULL, size + LARGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    size_t before = (size_t)(-(uintptr_t)memory % LARGE_PAGE);
    if (before) munmap(memory, before);
    munmap(memory + before + size, LARGE_PAGE - before);
    /* A wish: nothing is lost if it is not met. */
    madvise(memory + before, large_size(wanted), MADV_HUGEPAGE);
    return memory + before;
}

void *large_memory(size_t size) {
    return size < LARGE_FROM ? small_memory(size) : map_pages(size);
}

void large_memory_free(void *memory, size_t size) {
    if (size < LARGE_FROM)
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
