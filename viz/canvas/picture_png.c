#include "viz/canvas/picture_png.h"

#include "viz/canvas/picture_stb.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

/* A chunk's length, type and checksum; and where the header, a PNG's first chunk, ends. */
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

/* Between keyword and text iTXt has: end of keyword, not compressed (two bytes), no language, no
 * translated keyword. */
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
    unsigned char *png = picture_stb_png(surface, &png_size, error);
    if (!png) return false;
    *bytes = with_texts(png, png_size, texts, count, size);
    picture_stb_free(png);
    return *bytes || error_set(error, "out of memory for a PNG of %d x %d pixels", surface->width,
                               surface->height);
}
