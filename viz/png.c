#include "viz/png.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "model/large_memory.h"

enum { FILTER_NONE = 0, FILTER_UP = 2 }; /* PNG 1.2, section 6 */

/* Bytes from which two threads compress: less is not worth one's start. */
enum { TWO_PARTS = 1 << 22 };

enum { SIGNATURE_BYTES = 8, CHUNK_FRAME = 12, HEADER_END = SIGNATURE_BYTES + CHUNK_FRAME + 13 };

static void put_number(unsigned char *at, size_t number) {
    for (int byte = 0; byte < 4; byte++)
        at[byte] = (unsigned char)(number >> (24 - 8 * byte));
}

/* Bytes of a row, its filter's number included. stb hands its compressor no context. */
static _Thread_local size_t row_size;

/* Of many short rows the last ones lie in deflate's window of 32 KB: letters and cells come again
 * there, and rows are best left as they are. Of long ones, what has changed since the row above. */
static bool rows_are_long(void) {
    return row_size > 4096;
}

/* In place, from the last row up. Nearly all rows equal the one above: those become zeros. */
static void filter_rows(unsigned char *data, size_t length) {
    for (size_t at = length - row_size; at > 0; at -= row_size) {
        unsigned char *row = data + at + 1;
        const unsigned char *above = row - row_size;
        bool same = memcmp(row, above, row_size - 1) == 0;
        if (!same && !rows_are_long()) continue;
        row[-1] = FILTER_UP;
        if (same)
            memset(row, 0, row_size - 1);
        else
            for (size_t byte = 0; byte < row_size - 1; byte++)
                row[byte] = (unsigned char)(row[byte] - above[byte]);
    }
}

/* Some of the rows: the first part begins a zlib stream, the last one ends it; one that is not the
 * last ends at a byte, and one that is not the first lacks the stream's checksum. */
typedef struct Part {
    unsigned char *data, *out; /* `out` owned */
    uInt length;
    uLong size; /* of what is in out */
    uLong adler;
    bool first, last, long_rows, done;
} Part;

/* For long rows zlib's quick way, but with matches as long as they come: 8 % slower than its level
 * 3 and an eighth smaller. For short ones its thorough way, a little more so (bench/RESULTS.md). */
static void *deflate_part(void *context) {
    Part *part = context;
    z_stream stream = {.next_in = part->data, .avail_in = part->length};
    uLong room = compressBound(part->length) + 16; /* 16: the flush at its end */
    part->out = malloc(room);
    stream.next_out = part->out;
    stream.avail_out = (uInt)room;
    int bits = part->first ? MAX_WBITS : -MAX_WBITS;
    if (!part->out || deflateInit2(&stream, part->long_rows ? 3 : 7, Z_DEFLATED, bits,
                                   MAX_MEM_LEVEL - 1, Z_DEFAULT_STRATEGY) != Z_OK)
        return NULL;
    if (part->long_rows)
        deflateTune(&stream, 4, 6, 258, 32);
    else
        deflateTune(&stream, 8, 258, 258, 384);
    part->done = deflate(&stream, part->last ? Z_FINISH : Z_SYNC_FLUSH) ==
                     (part->last ? Z_STREAM_END : Z_OK) &&
                 stream.avail_in == 0 && stream.avail_out > 0;
    part->size = stream.total_out;
    part->adler = part->first ? stream.adler : adler32(1, part->data, part->length);
    deflateEnd(&stream);
    return NULL;
}

/* The second part in a thread of its own, if there can be one. */
static void deflate_two(Part parts[2]) {
    pthread_t thread;
    bool started = pthread_create(&thread, NULL, deflate_part, &parts[1]) == 0;
    deflate_part(&parts[0]);
    if (started)
        pthread_join(thread, NULL);
    else
        deflate_part(&parts[1]);
}

/* The zlib stream of two parts, NULL for lack of memory. */
static unsigned char *join(const Part parts[2], int *length) {
    uLong size = parts[0].size + parts[1].size + 4;
    unsigned char *out = parts[0].done && parts[1].done && size <= INT_MAX ? malloc(size) : NULL;
    if (!out) return NULL;
    memcpy(out, parts[0].out, parts[0].size);
    memcpy(out + parts[0].size, parts[1].out, parts[1].size);
    put_number(out + size - 4,
               adler32_combine(parts[0].adler, parts[1].adler, (z_off_t)parts[1].length));
    *length = (int)size;
    return out;
}

static unsigned char *deflate_in_two(unsigned char *data, uInt length, uInt cut, int *out_length) {
    Part parts[2] = {
        {.data = data, .length = cut, .first = true, .long_rows = rows_are_long()},
        {.data = data + cut, .length = length - cut, .last = true, .long_rows = rows_are_long()}};
    deflate_two(parts);
    unsigned char *out = join(parts, out_length);
    free(parts[0].out);
    free(parts[1].out);
    return out;
}

static unsigned char *compress_for_stb(unsigned char *data, int length, int *out_length,
                                       int quality) {
    (void)quality;
    filter_rows(data, (size_t)length);
    if (length > TWO_PARTS) {
        size_t cut = (size_t)length / row_size / 2 * row_size;
        return deflate_in_two(data, (uInt)length, (uInt)cut, out_length);
    }
    Part part = {.data = data,
                 .length = (uInt)length,
                 .first = true,
                 .last = true,
                 .long_rows = rows_are_long()};
    deflate_part(&part);
    if (part.done && part.size <= INT_MAX) {
        *out_length = (int)part.size;
        return part.out;
    }
    free(part.out);
    return NULL;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wshadow"
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBIW_ZLIB_COMPRESS compress_for_stb
#define STBIW_MALLOC        large_memory
#define STBIW_REALLOC       realloc
#define STBIW_FREE          free
#include <stb_image_write.h>
#pragma GCC diagnostic pop

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void choose_filter(void) {
    stbi_write_force_png_filter = FILTER_NONE; /* ours come in compress_for_stb */
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

/* Between keyword and text iTXt has: end of keyword, not compressed (two bytes), no language, no
 * translated keyword. */
static size_t text_gap(const char *text) {
    return is_ascii(text) ? 1 : 5;
}

static size_t text_chunk_size(const PngText *text) {
    return CHUNK_FRAME + strlen(text->keyword) + text_gap(text->text) + strlen(text->text);
}

/* Writes the chunk; returns where it ends. */
static unsigned char *put_text_chunk(unsigned char *at, const PngText *text) {
    size_t size = text_chunk_size(text), length = size - CHUNK_FRAME;
    memset(at, 0, size);
    put_number(at, length);
    memcpy(at + 4, is_ascii(text->text) ? "tEXt" : "iTXt", 4);
    memcpy(at + 8, text->keyword, strlen(text->keyword));
    memcpy(at + 8 + strlen(text->keyword) + text_gap(text->text), text->text, strlen(text->text));
    put_number(at + 8 + length, crc32(0, at + 4, (uInt)(length + 4)));
    return at + size;
}

/* The PNG with the texts set between its header and the rest. */
static unsigned char *insert_texts(const unsigned char *png, size_t size, const PngText *texts,
                                   int count, size_t *whole) {
    *whole = size;
    for (int index = 0; index < count; index++)
        *whole += text_chunk_size(&texts[index]);
    unsigned char *bytes = malloc(*whole);
    if (!bytes) return NULL;
    memcpy(bytes, png, HEADER_END);
    unsigned char *at = bytes + HEADER_END;
    for (int index = 0; index < count; index++)
        at = put_text_chunk(at, &texts[index]);
    memcpy(at, png + HEADER_END, size - HEADER_END);
    return bytes;
}

bool png_encode(const Surface *surface, const PngText *texts, int count, unsigned char **bytes,
                size_t *size, Error *error) {
    for (int index = 0; index < count; index++)
        if (!check_keyword(texts[index].keyword, error)) return false;
    pthread_once(&once, choose_filter);
    int length = 0;
    row_size = 3 * (size_t)surface->width + 1;
    unsigned char *png = stbi_write_png_to_mem(surface->bytes, (int)surface->pitch, surface->width,
                                               surface->height, 3, &length);
    *bytes = png ? insert_texts(png, (size_t)length, texts, count, size) : NULL;
    free(png);
    return *bytes || error_set(error, "out of memory for a PNG of %d x %d pixels", surface->width,
                               surface->height);
}
