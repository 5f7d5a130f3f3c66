#include "viz/canvas/picture_stb.h"

#include "model/base/large_memory.h"

#include <libdeflate.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

enum { FILTER_NONE = 0, FILTER_UP = 2 }; /* PNG 1.2, section 6 */

/* Long rows are stored as what has changed since the row above. Of shorter ones the last ones still
 * lie in deflate's window of 32 KB, where their letters and cells come again, and they are best
 * left as they are (bench/RESULTS.md). */
enum { LONG_ROW = 4096 };

/* libdeflate's levels: of a large picture the one after which smaller costs most time
 * (bench/RESULTS.md). */
enum { LEVEL = 7, LEVEL_OF_LARGE = 4, LARGE_BYTES = 1 << 23 };

/* A block of memory knows its size, which large_memory_free wants. */
enum { BLOCK_HEAD = 64 };

static void *block_new(size_t size) {
    size_t whole = size + BLOCK_HEAD;
    unsigned char *block = large_memory(whole);
    if (!block) return NULL;
    memcpy(block, &whole, sizeof whole);
    return block + BLOCK_HEAD;
}

static void block_free(void *memory) {
    if (!memory) return;
    unsigned char *block = (unsigned char *)memory - BLOCK_HEAD;
    size_t whole;
    memcpy(&whole, block, sizeof whole);
    large_memory_free(block, whole);
}

/* A row that equals the one above becomes a row of no change: runs of zeros are sooner compressed
 * and smaller than the same letters once more. From the last row up, so that the row above is still
 * there. */
static void clear_repeated_rows(unsigned char *rows, size_t size, size_t row_size) {
    for (size_t at = size; at >= 2 * row_size; at -= row_size) {
        unsigned char *row = rows + at - row_size;
        if (row[0] != FILTER_NONE || memcmp(row, row - row_size, row_size) != 0) continue;
        memset(row, 0, row_size);
        row[0] = FILTER_UP;
    }
}

/* Compresses filtered rows, each behind the number of its filter. */
static unsigned char *compress_rows(unsigned char *rows, int length, int *compressed,
                                    int row_size) {
    size_t size = (size_t)length;
    clear_repeated_rows(rows, size, (size_t)row_size);
    struct libdeflate_compressor *compressor =
        libdeflate_alloc_compressor(size >= LARGE_BYTES ? LEVEL_OF_LARGE : LEVEL);
    if (!compressor) return NULL;
    size_t room = libdeflate_zlib_compress_bound(compressor, size);
    unsigned char *bytes = block_new(room);
    if (bytes) *compressed = (int)libdeflate_zlib_compress(compressor, rows, size, bytes, room);
    libdeflate_free_compressor(compressor);
    return bytes;
}

/* --- stb_image_write, with its hooks; its PNG writer grows no block --- */
#define STBIW_MALLOC(size)         block_new((size_t)(size))
#define STBIW_FREE(block)          block_free(block)
#define STBIW_REALLOC(block, size) ((void)(block), (void)(size), NULL)
#define STBIW_CRC32(bytes, length) libdeflate_crc32(0, bytes, (size_t)(length))
#define STBIW_ZLIB_COMPRESS        compress_rows
#define STB_IMAGE_WRITE_STATIC     /* no symbol of it leaves this file */
#define STB_IMAGE_WRITE_IMPLEMENTATION

/* A foreign header: what we ask of our own code is not asked of it, and most of it is not used. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#if __has_include(<stb_image_write.h>)
#include <stb_image_write.h>
#else /* where pkg-config knows no stb (Fedora) */
#include <stb/stb_image_write.h>
#endif
#pragma GCC diagnostic pop

/* Its settings are two variables of the file: the filter of all rows, and a number that goes to the
 * compressor and means what that wants, here the length of a row. So one picture at a time. */
static pthread_mutex_t settings = PTHREAD_MUTEX_INITIALIZER;

unsigned char *picture_stb_png(const Surface *surface, size_t *size, Error *error) {
    int row_size = 1 + 3 * surface->width, length;
    if ((size_t)row_size * (size_t)surface->height > INT_MAX / 2) {
        error_set(error, "a PNG of %d x %d pixels is too large to be written", surface->width,
                  surface->height);
        return NULL;
    }
    pthread_mutex_lock(&settings);
    stbi_write_force_png_filter = row_size > LONG_ROW ? FILTER_UP : FILTER_NONE;
    stbi_write_png_compression_level = row_size;
    unsigned char *png = stbi_write_png_to_mem(surface->bytes, (int)surface->pitch, surface->width,
                                               surface->height, 3, &length);
    pthread_mutex_unlock(&settings);
    if (png)
        *size = (size_t)length;
    else
        error_set(error, "out of memory for a PNG of %d x %d pixels", surface->width,
                  surface->height);
    return png;
}

void picture_stb_free(unsigned char *png) {
    block_free(png);
}
