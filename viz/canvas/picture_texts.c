/* Reads the texts of a PNG; nothing in the bytes is trusted. */
#include "viz/canvas/picture_texts.h"

#include <libdeflate.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/file_kind.h"

enum { SIGNATURE = 8, CHUNK_FRAME = 12 };

typedef struct PngChunk {
    const unsigned char *type; /* 4 bytes */
    const unsigned char *data;
    size_t length;
} PngChunk;

static uint32_t number_at(const unsigned char *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static bool next_chunk(const unsigned char **at, const unsigned char *end, PngChunk *chunk,
                       Error *error) {
    size_t left = (size_t)(end - *at);
    if (left < CHUNK_FRAME || number_at(*at) > left - CHUNK_FRAME)
        return error_set(error, "the PNG is cut short");
    *chunk = (PngChunk){*at + 4, *at + 8, number_at(*at)};
    uint32_t crc = libdeflate_crc32(0, chunk->type, 4);
    if (chunk->length) crc = libdeflate_crc32(crc, chunk->data, chunk->length);
    if (crc != number_at(chunk->data + chunk->length))
        return error_set(error, "the PNG is damaged: the checksum of a chunk is wrong");
    *at += CHUNK_FRAME + chunk->length;
    return true;
}

/* A new string of `length` bytes; Latin-1 becomes UTF-8 where `latin`. Ends at a NUL. */
static char *new_string(const unsigned char *data, size_t length, bool latin) {
    char *string = malloc(2 * length + 1), *out = string;
    if (!string) return NULL;
    for (size_t index = 0; index < length && data[index]; index++) {
        if (latin && data[index] >= 0x80) {
            *out++ = (char)(0xC0 | data[index] >> 6);
            *out++ = (char)(0x80 | (data[index] & 0x3F));
        } else {
            *out++ = (char)data[index];
        }
    }
    *out = '\0';
    return string;
}

/* Returns the place past the NUL of the string at `at`; NULL if it has none. */
static const unsigned char *past_string(const unsigned char *at, const unsigned char *end) {
    const unsigned char *nul = at ? memchr(at, 0, (size_t)(end - at)) : NULL;
    return nul ? nul + 1 : NULL;
}

/* Returns the text of a chunk; NULL for a chunk of another kind or a compressed text. */
static const unsigned char *text_of(const PngChunk *chunk) {
    const unsigned char *end = chunk->data + chunk->length;
    const unsigned char *at = past_string(chunk->data, end);
    if (memcmp(chunk->type, "tEXt", 4) == 0) return at;
    if (memcmp(chunk->type, "iTXt", 4) != 0) return NULL;
    if (!at || end - at < 2 || at[0] != 0) return NULL; /* at[0]: compressed */
    return past_string(past_string(at + 2, end), end);
}

static bool add_text(PictureTexts *texts, const PngChunk *chunk, Error *error) {
    const unsigned char *text = text_of(chunk);
    if (!text) return true;
    bool latin = chunk->type[0] == 't';
    PictureText *items = realloc(texts->items, (size_t)(texts->count + 1) * sizeof *items);
    if (!items) return error_set(error, "out of memory for the texts of a PNG");
    texts->items = items;
    PictureText *item = &items[texts->count++];
    item->keyword = new_string(chunk->data, chunk->length, true);
    item->text = new_string(text, (size_t)(chunk->data + chunk->length - text), latin);
    return (item->keyword && item->text) || error_set(error, "out of memory for a text of a PNG");
}

bool picture_texts_read(const unsigned char *bytes, size_t size, PictureTexts *texts,
                        Error *error) {
    *texts = (PictureTexts){0};
    if (file_kind(bytes, size) != FILE_PNG) return error_set(error, "not a PNG");
    const unsigned char *at = bytes + SIGNATURE, *end = bytes + size;
    PngChunk chunk = {0};
    bool good;
    do
        good = next_chunk(&at, end, &chunk, error) && add_text(texts, &chunk, error);
    while (good && memcmp(chunk.type, "IEND", 4) != 0);
    if (!good) picture_texts_free(texts);
    return good;
}

void picture_texts_free(PictureTexts *texts) {
    for (int index = 0; index < texts->count; index++) {
        free((char *)texts->items[index].keyword);
        free((char *)texts->items[index].text);
    }
    free(texts->items);
    *texts = (PictureTexts){0};
}

const char *picture_texts_find(const PictureTexts *texts, const char *keyword) {
    for (int index = 0; index < texts->count; index++)
        if (strcmp(texts->items[index].keyword, keyword) == 0) return texts->items[index].text;
    return NULL;
}
