/* Large blocks of memory: pictures, folded maps, parameters and activations. */
#ifndef HEADSCOPE_MODEL_BASE_LARGE_MEMORY_H
#define HEADSCOPE_MODEL_BASE_LARGE_MEMORY_H

#include <stddef.h>

/* Returns `size` zeroed bytes, aligned to a cache line; NULL for lack of memory. Free with
 * large_memory_free and the same size. Half a megabyte and more is backed by huge pages where the
 * system has them: faulting in the small pages of a picture takes longer than drawing it, and
 * weights are read faster from huge pages (bench/RESULTS.md). */
void *large_memory(size_t size);
void large_memory_free(void *memory, size_t size); /* NULL is fine */

#endif
