#include "viz/picture_rows.h"

#include "model/large_memory.h"
#include "model/trace_vector.h"

#include <assert.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

enum { FILTER_NONE = 0, FILTER_UP = 2 }; /* PNG 1.2, section 6 */

/* Long rows are filtered where that leaves fewer changes along the row, shorter ones where it
 * leaves far fewer: of those the last ones lie in deflate's window of 32 KB, where their letters
 * and cells come again, and they are best left as they are. */
enum { LONG_ROW = 4096, FAR_FEWER = 8 };

/* libdeflate's levels: of a large picture the one after which smaller costs most time
 * (bench/RESULTS.md). */
enum { LEVEL = 7, LEVEL_OF_LARGE = 4, LARGE_BYTES = 1 << 23 };

static size_t row_size(const PictureRows *stream) {
    return 1 + 3 * (size_t)stream->width;
}

static size_t filtered_size(const PictureRows *stream) {
    return row_size(stream) * (size_t)stream->height;
}

bool picture_rows_begin(PictureRows *stream, int width, int height) {
    *stream = (PictureRows){.width = width, .height = height};
    stream->filtered = large_memory(filtered_size(stream));
    stream->above = malloc(row_size(stream));
    return stream->filtered && stream->above;
}

/* Bytes that differ from those a pixel before. Counted in lanes of a byte, which make vectors. */
VECTOR_CODE static size_t count_changes(const unsigned char *row, size_t size) {
    enum { LANES = 32, ROUNDS = 255 };
    size_t count = 0, i = 3;
    while (i + LANES <= size) {
        unsigned char lanes[LANES] = {0};
        for (int round = 0; round < ROUNDS && i + LANES <= size; round++, i += LANES)
            for (int lane = 0; lane < LANES; lane++)
                lanes[lane] = (unsigned char)(lanes[lane] +
                                              (row[i + (size_t)lane] != row[i + (size_t)lane - 3]));
        for (int lane = 0; lane < LANES; lane++)
            count += lanes[lane];
    }
    for (; i < size; i++)
        count += row[i] != row[i - 3];
    return count;
}

VECTOR_CODE static void subtract(unsigned char *restrict out, const unsigned char *restrict row,
                                 const unsigned char *restrict above, size_t size) {
    for (size_t byte = 0; byte < size; byte++)
        out[byte] = (unsigned char)(row[byte] - above[byte]);
}

/* out = the filter's number and the row as it is, or what has changed since the row above. Nearly
 * all rows equal the one above; `out` holds zeros. */
static void filter_row(unsigned char *out, const unsigned char *row, const unsigned char *above,
                       size_t size) {
    out[0] = FILTER_UP;
    if (above && memcmp(row, above, size) == 0) return;
    if (above) {
        size_t weight = size >= LONG_ROW ? 1 : FAR_FEWER;
        subtract(out + 1, row, above, size);
        if (weight * count_changes(out + 1, size) < count_changes(row, size)) return;
    }
    out[0] = FILTER_NONE;
    memcpy(out + 1, row, size);
}

void picture_rows_add(PictureRows *stream, const Surface *surface) {
    size_t size = row_size(stream) - 1;
    const unsigned char *above = stream->rows ? stream->above : NULL;
    assert(surface->width == stream->width && stream->rows + surface->height <= stream->height);
    for (int y = 0; y < surface->height; y++, stream->rows++) {
        const unsigned char *row = surface_row(surface, y);
        filter_row(stream->filtered + (size_t)stream->rows * row_size(stream), row, above, size);
        above = row;
    }
    if (above && above != stream->above) memcpy(stream->above, above, size);
}

bool picture_rows_end(PictureRows *stream) {
    size_t size = filtered_size(stream);
    assert(stream->rows == stream->height);
    struct libdeflate_compressor *compressor =
        libdeflate_alloc_compressor(size >= LARGE_BYTES ? LEVEL_OF_LARGE : LEVEL);
    if (!compressor) return false;
    size_t room = libdeflate_zlib_compress_bound(compressor, size);
    stream->bytes = malloc(room);
    if (stream->bytes)
        stream->size =
            libdeflate_zlib_compress(compressor, stream->filtered, size, stream->bytes, room);
    libdeflate_free_compressor(compressor);
    return stream->size > 0;
}

void picture_rows_free(PictureRows *stream) {
    large_memory_free(stream->filtered, filtered_size(stream));
    free(stream->above);
    free(stream->bytes);
    *stream = (PictureRows){0};
}
