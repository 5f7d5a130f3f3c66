/* Memory for pictures, and for maps folded into them. */
#ifndef HEADSCOPE_MODEL_LARGE_MEMORY_H
#define HEADSCOPE_MODEL_LARGE_MEMORY_H

#include <stddef.h>

/* `size` bytes of zeros, NULL for lack of memory; given back by large_memory_free with that size.
 * Half a megabyte and more come in the system's large pages where it has them: touching a picture
 * for the first time costs a fault of each page, and of small ones that takes longer than drawing
 * (bench/RESULTS.md). */
void *large_memory(size_t size);
void large_memory_free(void *memory, size_t size); /* NULL is fine */

#endif
