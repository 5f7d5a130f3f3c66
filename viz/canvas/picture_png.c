#include "viz/canvas/picture_png.h"

#include "model/base/large_memory.h"

#include <libdeflate.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* --- the pixels ------------------------------------------------------------------------------- */

enum { FILTER_NONE = 0, FILTER_UP = 2 }; /* PNG 1.2, section 6 */

/* Long rows are stored as differences from the row above. Shorter rows stay unfiltered: several of
 * them fit into deflate's window of 32 KB, which finds their characters and cells again
 * (bench/RESULTS.md). */
enum { LONG_ROW = 4096 };

/* libdeflate's levels; for a large picture, the last one before compression takes much longer
 * (bench/RESULTS.md). */
enum { LEVEL = 7, LEVEL_OF_LARGE = 4, LARGE_BYTES = 1 << 23 };

/* A block of memory begins with its size, which large_memory_free needs. */
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

/* Stores a row that equals the one above as a row of zero differences, which compresses faster and
 * smaller. Goes from the last row up, so that the row above is still unchanged. */
static void clear_repeated_rows(unsigned char *rows, size_t size, size_t row_size) {
    for (size_t at = size; at >= 2 * row_size; at -= row_size) {
        unsigned char *row = rows + at - row_size;
        if (row[0] != FILTER_NONE || memcmp(row, row - row_size, row_size) != 0) continue;
        memset(row, 0, row_size);
        row[0] = FILTER_UP;
    }
}

/* Compresses filtered rows; each begins with the number of its filter. */
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

/* stb_image_write with its hooks; its PNG writer never calls STBIW_REALLOC. */
#define STBIW_MALLOC(size)         block_new((size_t)(size))
#define STBIW_FREE(block)          block_free(block)
#define STBIW_REALLOC(block, size) ((void)(block), (void)(size), NULL)
#define STBIW_CRC32(bytes, length) libdeflate_crc32(0, bytes, (size_t)(length))
#define STBIW_ZLIB_COMPRESS        compress_rows
#define STB_IMAGE_WRITE_STATIC     /* no symbol of it leaves this file */
#define STB_IMAGE_WRITE_IMPLEMENTATION

/* A foreign header: our warnings do not apply to it, and most of its functions are unused. */
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

/* Guards its two global settings, so one picture is encoded at a time: the filter of all rows, and
 * the number passed to the compressor, here the length of a row. */
static pthread_mutex_t settings = PTHREAD_MUTEX_INITIALIZER;

/* The surface as a whole PNG: signature, IHDR (8 bits, RGB), one IDAT, IEND. NULL with *error. Free
 * with block_free. */
static unsigned char *encode_pixels(const Surface *surface, size_t *size, Error *error) {
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

/* --- the texts -------------------------------------------------------------------------------- */

/* CHUNK_FRAME: a chunk's length, type and checksum. HEADER_END: where IHDR, the first chunk, ends.
 */
enum { CHUNK_FRAME = 12, HEADER_END = 8 + CHUNK_FRAME + 13 };

static void put_number(unsigned char *at, size_t number) {
    for (int byte = 0; byte < 4; byte++)
        at[byte] = (unsigned char)(number >> (24 - 8 * byte));
}

static bool is_ascii(const char *text) {
    for (; *text; text++)
        if ((unsigned char)*text >= 0x80) return false;
    return true;
}

static bool check_keyword(const char *keyword, Error *error) {
    size_t length = strlen(keyword);
    bool good = length >= 1 && length <= 79 && keyword[0] != ' ' && keyword[length - 1] != ' ';
    for (size_t index = 0; index < length; index++)
        good = good && keyword[index] >= 0x20 && keyword[index] <= 0x7E;
    return good || error_set(error,
                             "\"%.80s\" cannot be the keyword of a text in a PNG; use 1 to 79 "
                             "printable ASCII characters",
                             keyword);
}

/* The zero bytes between keyword and text. iTXt: the keyword's NUL, compression flag and method,
 * and the NULs of an empty language and an empty translated keyword. */
static size_t text_gap(const char *text) {
    return is_ascii(text) ? 1 : 5;
}

static size_t text_chunk_size(const PictureText *text) {
    return CHUNK_FRAME + strlen(text->keyword) + text_gap(text->text) + strlen(text->text);
}

/* Writes the chunk of a text; returns where it ends. */
static unsigned char *put_text(unsigned char *at, const PictureText *text) {
    size_t length = text_chunk_size(text) - CHUNK_FRAME, keyword = strlen(text->keyword);
    put_number(at, length);
    memcpy(at + 4, is_ascii(text->text) ? "tEXt" : "iTXt", 4);
    unsigned char *out = at + 8;
    memset(out, 0, length);
    memcpy(out, text->keyword, keyword);
    memcpy(out + keyword + text_gap(text->text), text->text, strlen(text->text));
    put_number(out + length, libdeflate_crc32(0, at + 4, length + 4));
    return at + CHUNK_FRAME + length;
}

/* The PNG with the texts right behind its header. */
static unsigned char *with_texts(const unsigned char *png, size_t png_size,
                                 const PictureText *texts, int count, size_t *size) {
    *size = png_size;
    for (int index = 0; index < count; index++)
        *size += text_chunk_size(&texts[index]);
    unsigned char *bytes = malloc(*size);
    if (!bytes) return NULL;
    memcpy(bytes, png, HEADER_END);
    unsigned char *at = bytes + HEADER_END;
    for (int index = 0; index < count; index++)
        at = put_text(at, &texts[index]);
    memcpy(at, png + HEADER_END, png_size - HEADER_END);
    return bytes;
}

bool picture_png_encode(const Surface *surface, const PictureText *texts, int count,
                        unsigned char **bytes, size_t *size, Error *error) {
    for (int index = 0; index < count; index++)
        if (!check_keyword(texts[index].keyword, error)) return false;
    size_t png_size;
    unsigned char *png = encode_pixels(surface, &png_size, error);
    if (!png) return false;
    *bytes = with_texts(png, png_size, texts, count, size);
    block_free(png);
    return *bytes || error_set(error, "out of memory for a PNG of %d x %d pixels", surface->width,
                               surface->height);
}
