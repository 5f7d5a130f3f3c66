/* Reads the PNGs that headscope writes: 8 bits a channel, RGB, not interlaced. */
#ifndef TESTS_APP_HELPER_PICTURE_H
#define TESTS_APP_HELPER_PICTURE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "helper_program.h"

typedef struct Picture {
    int width, height;
    unsigned char *pixels; /* [height,width,3] */
    char *file;            /* the bytes of the file, with its texts */
    size_t size;
} Picture;

HELPER void picture_free(Picture *picture) {
    free(picture->pixels);
    free(picture->file);
    *picture = (Picture){0};
}

HELPER uint32_t picture_number(const char *bytes) {
    const unsigned char *b = (const unsigned char *)bytes;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

HELPER int paeth(int left, int up, int corner) {
    int guess = left + up - corner;
    int a = abs(guess - left), b = abs(guess - up), c = abs(guess - corner);
    return a <= b && a <= c ? left : b <= c ? up : corner;
}

/* Takes a row's filter (PNG 1.2, section 6) back; `above` is the row before, or zeros. */
HELPER void unfilter(int filter, unsigned char *row, const unsigned char *above, int size) {
    for (int i = 0; i < size; i++) {
        int left = i < 3 ? 0 : row[i - 3], up = above[i], corner = i < 3 ? 0 : above[i - 3];
        int add[5] = {0, left, up, (left + up) / 2, paeth(left, up, corner)};
        assert_in_range(filter, 0, 4);
        row[i] = (unsigned char)(row[i] + add[filter]);
    }
}

/* All data chunks behind one another. */
HELPER unsigned char *picture_data(const Picture *picture, size_t *size) {
    unsigned char *data = malloc(picture->size);
    assert_non_null(data);
    *size = 0;
    for (size_t at = 8; at + 12 <= picture->size;) {
        uint32_t length = picture_number(picture->file + at);
        if (memcmp(picture->file + at + 4, "IDAT", 4) == 0) {
            memcpy(data + *size, picture->file + at + 8, length);
            *size += length;
        }
        at += 12 + length;
    }
    return data;
}

HELPER Picture picture_read(const char *path) {
    Picture picture = {0};
    picture.file = file_read(path, &picture.size);
    assert_true(picture.size > 33 && memcmp(picture.file + 1, "PNG", 3) == 0);
    picture.width = (int)picture_number(picture.file + 16);
    picture.height = (int)picture_number(picture.file + 20);
    assert_memory_equal(picture.file + 24, "\x08\x02\0\0\0", 5);
    size_t size, line = 3 * (size_t)picture.width;
    unsigned char *data = picture_data(&picture, &size);
    uLongf length = (uLongf)((line + 1) * (size_t)picture.height);
    unsigned char *rows = malloc(length), *zeros = calloc(line, 1);
    picture.pixels = malloc(line * (size_t)picture.height);
    assert_true(rows && zeros && picture.pixels);
    assert_int_equal(uncompress(rows, &length, data, (uLong)size), Z_OK);
    for (int y = 0; y < picture.height; y++) {
        unsigned char *from = rows + (line + 1) * (size_t)y;
        unsigned char *to = picture.pixels + line * (size_t)y;
        memcpy(to, from + 1, line);
        unfilter(from[0], to, y ? to - line : zeros, (int)line);
    }
    free(rows);
    free(zeros);
    free(data);
    return picture;
}

HELPER bool same_pixels(const Picture *a, const Picture *b) {
    return a->width == b->width && a->height == b->height &&
           memcmp(a->pixels, b->pixels, 3 * (size_t)a->width * (size_t)a->height) == 0;
}

HELPER void assert_same_pixels(const char *a, const char *b) {
    Picture first = picture_read(a), second = picture_read(b);
    if (!same_pixels(&first, &second)) fail_msg("%s and %s differ", a, b);
    picture_free(&first);
    picture_free(&second);
}

/* The text of a picture by its keyword; "" if it has none. Valid until it is freed. */
HELPER const char *picture_text(const Picture *picture, const char *keyword) {
    static char text[4096];
    size_t length = strlen(keyword);
    text[0] = '\0';
    for (size_t at = 8; at + 12 <= picture->size;) {
        uint32_t size = picture_number(picture->file + at);
        const char *type = picture->file + at + 4, *data = type + 4;
        bool latin = memcmp(type, "tEXt", 4) == 0, wide = memcmp(type, "iTXt", 4) == 0;
        size_t head = length + (wide ? 5 : 1); /* iTXt: flag, method, two empty strings */
        if ((latin || wide) && size >= head && memcmp(data, keyword, length + 1) == 0)
            snprintf(text, sizeof text, "%.*s", (int)(size - head), data + head);
        at += 12 + size;
    }
    return text;
}

#endif
