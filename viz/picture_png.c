#include "viz/picture_png.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

/* A chunk's length, type and checksum. */
enum { CHUNK_FRAME = 12, HEADER_BYTES = 13 };

static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

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

/* Between keyword and text iTXt has: end of keyword, not compressed (two bytes), no language, no
 * translated keyword. */
static size_t text_gap(const char *text) {
    return is_ascii(text) ? 1 : 5;
}

static size_t text_chunk_size(const PictureText *text) {
    return CHUNK_FRAME + strlen(text->keyword) + text_gap(text->text) + strlen(text->text);
}

/* Writes what stands around `length` bytes of a chunk, which stand there already; returns where it
 * ends. */
static unsigned char *put_frame(unsigned char *at, const char *type, size_t length) {
    put_number(at, length);
    memcpy(at + 4, type, 4);
    put_number(at + 8 + length, libdeflate_crc32(0, at + 4, length + 4));
    return at + CHUNK_FRAME + length;
}

static unsigned char *put_text(unsigned char *at, const PictureText *text) {
    size_t length = text_chunk_size(text) - CHUNK_FRAME;
    unsigned char *out = at + 8;
    memset(out, 0, length);
    memcpy(out, text->keyword, strlen(text->keyword));
    memcpy(out + strlen(text->keyword) + text_gap(text->text), text->text, strlen(text->text));
    return put_frame(at, is_ascii(text->text) ? "tEXt" : "iTXt", length);
}

static unsigned char *put_header(unsigned char *at, const PicturePng *png) {
    static const unsigned char kind[5] = {8, 2, 0, 0,
                                          0}; /* bits of a colour; RGB; the plain rest */
    put_number(at + 8, (size_t)png->stream.width);
    put_number(at + 12, (size_t)png->stream.height);
    memcpy(at + 16, kind, sizeof kind);
    return put_frame(at, "IHDR", HEADER_BYTES);
}

static bool out_of_memory(const PicturePng *png, Error *error) {
    return error_set(error, "out of memory for a PNG of %d x %d pixels", png->stream.width,
                     png->stream.height);
}

bool picture_png_begin(PicturePng *png, int width, int height, Error *error) {
    return picture_rows_begin(&png->stream, width, height) || out_of_memory(png, error);
}

void picture_png_add(PicturePng *png, const Surface *surface) {
    picture_rows_add(&png->stream, surface);
}

/* The whole file around the compressed rows. */
static unsigned char *put_together(const PicturePng *png, const PictureText *texts, int count,
                                   size_t *size) {
    const PictureRows *rows = &png->stream;
    *size = sizeof signature + 3 * CHUNK_FRAME + HEADER_BYTES + rows->size;
    for (int index = 0; index < count; index++)
        *size += text_chunk_size(&texts[index]);
    unsigned char *bytes = malloc(*size);
    if (!bytes) return NULL;
    memcpy(bytes, signature, sizeof signature);
    unsigned char *at = put_header(bytes + sizeof signature, png);
    for (int index = 0; index < count; index++)
        at = put_text(at, &texts[index]);
    memcpy(at + 8, rows->bytes, rows->size);
    at = put_frame(at, "IDAT", rows->size);
    put_frame(at, "IEND", 0);
    return bytes;
}

bool picture_png_end(PicturePng *png, const PictureText *texts, int count, unsigned char **bytes,
                     size_t *size, Error *error) {
    for (int index = 0; index < count; index++)
        if (!check_keyword(texts[index].keyword, error)) return false;
    *bytes = picture_rows_end(&png->stream) ? put_together(png, texts, count, size) : NULL;
    return *bytes || out_of_memory(png, error);
}

void picture_png_free(PicturePng *png) {
    picture_rows_free(&png->stream);
}

bool picture_png_encode(const Surface *surface, const PictureText *texts, int count,
                        unsigned char **bytes, size_t *size, Error *error) {
    PicturePng png = {0};
    bool good = picture_png_begin(&png, surface->width, surface->height, error);
    if (good) picture_png_add(&png, surface);
    good = good && picture_png_end(&png, texts, count, bytes, size, error);
    picture_png_free(&png);
    return good;
}
