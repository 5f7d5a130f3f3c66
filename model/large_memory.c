#ifdef __linux__
#define _DEFAULT_SOURCE /* madvise */
#endif
#include "model/large_memory.h"

#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

enum { LARGE_PAGE = 1 << 21 };

void *large_memory(size_t size) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (size >= LARGE_PAGE) {
        size_t whole = size / LARGE_PAGE * LARGE_PAGE;
        void *memory = NULL;
        if (posix_memalign(&memory, LARGE_PAGE, size) != 0) return NULL;
        madvise(memory, whole, MADV_HUGEPAGE); /* a wish: nothing is lost if it is not met */
        return memory;
    }
#endif
    return malloc(size);
}
