#include "viz/png_stream.h"

#include "viz/deflater.h"
#include "viz/png_rows.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Pixels from which two threads work: less is not worth one's start. */
enum { TWO_PARTS = 1 << 20 };

static bool append(PngStream *stream, const unsigned char *bytes, size_t size) {
    if (stream->size + size > stream->room) {
        size_t room = stream->room + stream->room / 2 + size;
        unsigned char *more = realloc(stream->bytes, room);
        if (!more) return false;
        stream->bytes = more;
        stream->room = room;
    }
    memcpy(stream->bytes + stream->size, bytes, size);
    stream->size += size;
    return true;
}

bool png_stream_begin(PngStream *stream, int width) {
    static const unsigned char head[] = {
        0x78, /* deflate, a window of 32 KB (RFC 1950) */
        0x5E, /* makes the two bytes a multiple of 31 */
    };
    *stream = (PngStream){
        .width = width, .above = malloc(3 * (size_t)width), .adler = adler32(0, NULL, 0)};
    return stream->above && append(stream, head, sizeof head);
}

typedef struct Part {
    PngRows *rows;
    const Surface *surface;
    int first, end;
    const unsigned char *above;
    bool done;
} Part;

static void *put_part(void *context) {
    Part *part = context;
    part->done = png_rows_put(part->rows, part->surface, part->first, part->end, part->above);
    return NULL;
}

/* The second part in a thread of its own, if there can be one. */
static void put_two_parts(Part parts[2]) {
    pthread_t thread;
    bool started = pthread_create(&thread, NULL, put_part, &parts[1]) == 0;
    put_part(&parts[0]);
    if (started)
        pthread_join(thread, NULL);
    else
        put_part(&parts[1]);
}

static bool take_part(PngStream *stream, const Part *part) {
    PngRowsResult result = png_rows_result(part->rows);
    stream->adler = adler32_combine(stream->adler, result.adler, (z_off_t)result.written);
    return part->done && append(stream, result.bytes, result.size);
}

bool png_stream_add(PngStream *stream, const Surface *surface) {
    int height = surface->height, count = 1;
    if ((size_t)stream->width * (size_t)height >= TWO_PARTS) count = 2;
    for (int i = 0; i < count; i++) {
        if (!stream->parts[i]) stream->parts[i] = png_rows_make(stream->width);
        if (!stream->parts[i]) return false;
    }
    int middle = count == 2 ? height / 2 : height;
    Part parts[2] = {
        {stream->parts[0], surface, 0, middle, stream->rows ? stream->above : NULL, false},
        {stream->parts[1], surface, middle, height, NULL, false}};
    if (count == 2) {
        parts[1].above = surface_row(surface, middle - 1);
        put_two_parts(parts);
    } else {
        put_part(&parts[0]);
    }
    memcpy(stream->above, surface_row(surface, height - 1), 3 * (size_t)stream->width);
    stream->rows += height;
    return take_part(stream, &parts[0]) && (count == 1 || take_part(stream, &parts[1]));
}

bool png_stream_end(PngStream *stream) {
    unsigned char tail[DEFLATER_END_BYTES + 4] = {DEFLATER_END};
    for (int byte = 0; byte < 4; byte++)
        tail[DEFLATER_END_BYTES + byte] = (unsigned char)(stream->adler >> (24 - 8 * byte));
    return append(stream, tail, sizeof tail);
}

void png_stream_free(PngStream *stream) {
    png_rows_free(stream->parts[0]);
    png_rows_free(stream->parts[1]);
    free(stream->above);
    free(stream->bytes);
    *stream = (PngStream){0};
}
