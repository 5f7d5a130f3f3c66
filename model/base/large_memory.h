/* Memory for pictures, for maps folded into them, and for what a network computes with. */
#ifndef HEADSCOPE_MODEL_BASE_LARGE_MEMORY_H
#define HEADSCOPE_MODEL_BASE_LARGE_MEMORY_H

#include <stddef.h>

/* `size` bytes of zeros that begin on a cache line, NULL for lack of memory; given back by
 * large_memory_free with that size.
 * Half a megabyte and more come in the system's large pages where it has them: touching a picture
 * for the first time costs a fault of each page, and of small ones that takes longer than
 * drawing, and weights are read faster from large ones (bench/RESULTS.md). */
void *large_memory(size_t size);
void large_memory_free(void *memory, size_t size); /* NULL is fine */

#endif
