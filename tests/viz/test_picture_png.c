#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "viz/canvas/picture_png.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { FRAME = 12, HEADER_END = 33 };

static uint32_t number_at(const unsigned char *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* The surface with a colour of its own for each pixel, as far as bytes go. */
static Surface surface_make(int width, int height) {
    size_t pitch = 3 * (size_t)width + 2;
    Surface surface = {malloc(pitch * (size_t)height), pitch, width, height};
    assert_non_null(surface.bytes);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            unsigned char *pixel = surface_row(&surface, y) + 3 * x;
            pixel[0] = (unsigned char)(x * 7 + y);
            pixel[1] = (unsigned char)(y * 5 - x);
            pixel[2] = (unsigned char)(x * y);
        }
    return surface;
}

static unsigned char *encode(const Surface *surface, const PictureText *texts, int count,
                             size_t *size) {
    unsigned char *bytes = NULL;
    Error error;
    assert_true(picture_png_encode(surface, texts, count, &bytes, size, &error));
    return bytes;
}

static unsigned char paeth(int left, int up, int corner) {
    int guess = left + up - corner;
    int a = abs(guess - left), b = abs(guess - up), c = abs(guess - corner);
    return (unsigned char)(a <= b && a <= c ? left : b <= c ? up : corner);
}

/* Undoes one row's filter in place, as the PNG specification (section 9) says. */
static void unfilter(int filter, unsigned char *row, const unsigned char *above, int length) {
    for (int index = 0; index < length; index++) {
        int left = index >= 3 ? row[index - 3] : 0, up = above ? above[index] : 0;
        int corner = above && index >= 3 ? above[index - 3] : 0;
        int base = filter == 1   ? left
                   : filter == 2 ? up
                   : filter == 3 ? (left + up) / 2
                   : filter == 4 ? paeth(left, up, corner)
                                 : 0;
        assert_in_range(filter, 0, 4);
        row[index] = (unsigned char)(row[index] + base);
    }
}

/* Walks all chunks, checks their checksums and order, and collects the compressed pixels. */
static unsigned char *collect_pixels(const unsigned char *bytes, size_t size, size_t *length) {
    assert_memory_equal(bytes, "\x89PNG\r\n\x1A\n", 8);
    unsigned char *data = malloc(size);
    assert_non_null(data);
    *length = 0;
    size_t at = 8;
    bool ended = false;
    for (int chunk = 0; !ended; chunk++) {
        assert_true(at + FRAME <= size);
        size_t chunk_length = number_at(bytes + at);
        const unsigned char *type = bytes + at + 4;
        assert_true(at + FRAME + chunk_length <= size);
        assert_int_equal(crc32(0, type, (uInt)(chunk_length + 4)),
                         number_at(type + 4 + chunk_length));
        assert_int_equal(memcmp(type, "IHDR", 4) == 0, chunk == 0);
        if (memcmp(type, "IDAT", 4) == 0) {
            memcpy(data + *length, type + 4, chunk_length);
            *length += chunk_length;
        }
        ended = memcmp(type, "IEND", 4) == 0;
        at += FRAME + chunk_length;
    }
    assert_int_equal(at, size);
    return data;
}

/* All rows bear the filter that goes with their length, but for one that equals the row above. */
static void check_filter(int filter, int y, const Surface *surface) {
    bool long_rows = 1 + 3 * surface->width > 4096;
    bool repeated = y > 0 && memcmp(surface_row(surface, y), surface_row(surface, y - 1),
                                    3 * (size_t)surface->width) == 0;
    assert_int_equal(filter, long_rows || repeated ? 2 : 0);
}

static void check_pixels(const unsigned char *bytes, size_t size, const Surface *surface) {
    assert_int_equal(number_at(bytes + 16), surface->width);
    assert_int_equal(number_at(bytes + 20), surface->height);
    assert_memory_equal(bytes + 24, "\x08\x02\0\0\0", 5); /* 8 bits, RGB, not interlaced */
    size_t packed_size;
    unsigned char *packed = collect_pixels(bytes, size, &packed_size);
    int row = 3 * surface->width;
    uLongf raw_size = (uLongf)(row + 1) * (uLongf)surface->height;
    unsigned char *raw = malloc(raw_size);
    assert_non_null(raw);
    assert_int_equal(uncompress(raw, &raw_size, packed, packed_size), Z_OK);
    assert_int_equal(raw_size, (row + 1) * surface->height);
    for (int y = 0; y < surface->height; y++) {
        unsigned char *line = raw + y * (row + 1);
        check_filter(line[0], y, surface);
        unfilter(line[0], line + 1, y ? line - row : NULL, row);
        assert_memory_equal(line + 1, surface_row(surface, y), (size_t)row);
    }
    free(raw);
    free(packed);
}

static void pixels_come_back(void **state) {
    (void)state;
    static const int sizes[][2] = {{1, 1},     {1, 40},    {53, 1},      {97, 61},
                                   {640, 333}, {1500, 40}, {1500, 1001}, {3000, 1200}};
    for (size_t index = 0; index < sizeof sizes / sizeof *sizes; index++) {
        Surface surface = surface_make(sizes[index][0], sizes[index][1]);
        for (int y = 11; y < surface.height; y += 1 + y % 3) /* rows like the one above */
            memcpy(surface_row(&surface, y), surface_row(&surface, y - 1),
                   3 * (size_t)surface.width);
        size_t size;
        unsigned char *bytes = encode(&surface, NULL, 0, &size);
        check_pixels(bytes, size, &surface);
        free(bytes);
        free(surface.bytes);
    }
}

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525U + 1013904223U;
    return *state >> 8;
}

/* Like our pictures: rectangles of few colours, and spots of many. */
static Surface surface_draw(int width, int height, uint32_t random) {
    Surface surface = surface_make(width, height);
    memset(surface.bytes, 255, surface.pitch * (size_t)height);
    for (int count = 0; count < 200; count++) {
        int x = (int)(next_random(&random) % (uint32_t)width);
        int y = (int)(next_random(&random) % (uint32_t)height);
        bool spot = next_random(&random) % 3 == 0;
        int wide = 1 + (int)(next_random(&random) % (spot ? 9 : 60));
        int high = 1 + (int)(next_random(&random) % (spot ? 9 : 60));
        unsigned char color = (unsigned char)(next_random(&random) % 12 * 20);
        for (int row = y; row < y + high && row < height; row++)
            for (int column = x; column < x + wide && column < width; column++) {
                unsigned char *pixel = surface_row(&surface, row) + 3 * column;
                if (spot) color = (unsigned char)next_random(&random);
                pixel[0] = color;
                pixel[1] = (unsigned char)(color * 3);
                pixel[2] = 90;
            }
    }
    return surface;
}

/* Also where a row is about as long as deflate's window, or as the limit of what counts as short.
 */
static void drawings_come_back(void **state) {
    (void)state;
    static const int sizes[][2] = {{1, 1},      {2, 9},      {3, 200},    {300, 300},
                                   {1365, 60},  {1366, 60},  {1366, 800}, {5460, 40},
                                   {10922, 20}, {10923, 20}, {20000, 60}, {32767, 5}};
    for (size_t index = 0; index < sizeof sizes / sizeof *sizes; index++) {
        Surface surface = surface_draw(sizes[index][0], sizes[index][1], (uint32_t)index);
        size_t size;
        unsigned char *bytes = encode(&surface, NULL, 0, &size);
        check_pixels(bytes, size, &surface);
        free(bytes);
        free(surface.bytes);
    }
}

/* About as small as what zlib makes of rows as they are, each behind a 0. */
static void drawings_are_small(void **state) {
    (void)state;
    static const int widths[] = {300, 1000, 3000};
    for (size_t index = 0; index < sizeof widths / sizeof *widths; index++) {
        Surface surface = surface_draw(widths[index], 400, 7);
        size_t row = 3 * (size_t)surface.width, size;
        unsigned char *raw = calloc(row + 1, 400);
        assert_non_null(raw);
        for (int y = 0; y < 400; y++)
            memcpy(raw + (size_t)y * (row + 1) + 1, surface_row(&surface, y), row);
        uLongf packed_size = compressBound((uLong)(row + 1) * 400);
        unsigned char *packed = malloc(packed_size);
        assert_non_null(packed);
        assert_int_equal(compress2(packed, &packed_size, raw, (uLong)(row + 1) * 400, 6), Z_OK);
        unsigned char *bytes = encode(&surface, NULL, 0, &size);
        if (size > packed_size / 20 * 21) fail_msg("%zu bytes, %lu by zlib", size, packed_size);
        free(bytes);
        free(packed);
        free(raw);
        free(surface.bytes);
    }
}

static const PictureText texts[] = {
    {"Software", "headscope 0.1.0"},
    {"headscope:command", "headscope export dates --input \"3. März 2021\" → x"},
    {"empty", ""},
};

static void texts_come_back(void **state) {
    (void)state;
    Surface surface = surface_make(20, 10);
    size_t size;
    unsigned char *bytes = encode(&surface, texts, 3, &size);
    check_pixels(bytes, size, &surface);
    assert_memory_equal(bytes + HEADER_END + 4, "tEXt", 4);
    PictureTexts read;
    Error error;
    assert_true(picture_texts_read(bytes, size, &read, &error));
    assert_int_equal(read.count, 3);
    for (int index = 0; index < 3; index++) {
        assert_string_equal(read.items[index].keyword, texts[index].keyword);
        assert_string_equal(read.items[index].text, texts[index].text);
        assert_string_equal(picture_texts_find(&read, texts[index].keyword), texts[index].text);
    }
    assert_null(picture_texts_find(&read, "headscope:model"));
    picture_texts_free(&read);
    assert_int_equal(read.count, 0);
    free(bytes);
    free(surface.bytes);
}

static void same_picture_same_bytes(void **state) {
    (void)state;
    Surface surface = surface_make(64, 64);
    size_t one_size, other_size;
    unsigned char *one = encode(&surface, texts, 3, &one_size);
    unsigned char *other = encode(&surface, texts, 3, &other_size);
    assert_int_equal(one_size, other_size);
    assert_memory_equal(one, other, one_size);
    free(one);
    free(other);
    free(surface.bytes);
}

static void bad_keywords_are_refused(void **state) {
    (void)state;
    char longest[81];
    memset(longest, 'k', 80);
    longest[80] = '\0';
    const char *const bad[] = {"", " a", "a ", "a\nb", "ü", longest};
    Surface surface = surface_make(2, 2);
    for (size_t index = 0; index < sizeof bad / sizeof *bad; index++) {
        unsigned char *bytes = NULL;
        size_t size;
        Error error;
        assert_false(picture_png_encode(&surface, &(PictureText){bad[index], "x"}, 1, &bytes, &size,
                                        &error));
        assert_null(bytes);
    }
    free(surface.bytes);
}

/* Puts a chunk of the given type and data behind the header. */
static unsigned char *with_chunk(const unsigned char *bytes, size_t *size, const char *type,
                                 const void *data, size_t length) {
    unsigned char *out = calloc(*size + FRAME + length, 1);
    assert_non_null(out);
    memcpy(out, bytes, HEADER_END);
    unsigned char *at = out + HEADER_END;
    at[2] = (unsigned char)(length >> 8);
    at[3] = (unsigned char)length;
    memcpy(at + 4, type, 4);
    memcpy(at + 8, data, length);
    uLong crc = crc32(0, at + 4, (uInt)(length + 4));
    for (int byte = 0; byte < 4; byte++)
        at[8 + length + (size_t)byte] = (unsigned char)(crc >> (24 - 8 * byte));
    memcpy(at + FRAME + length, bytes + HEADER_END, *size - HEADER_END);
    *size += FRAME + length;
    return out;
}

/* What other programs write, and what nobody should. */
static void foreign_texts(void **state) {
    (void)state;
    static const struct {
        const char *type, *data;
        size_t length;
        const char *expected; /* NULL: passed over */
    } cases[] = {
        {"tEXt", "k\0na\xEFve", 7, "naïve"},
        {"tEXt", "k\0", 2, ""},
        {"tEXt", "no end", 6, NULL},
        {"tEXt", "", 0, NULL},
        {"iTXt", "k\0\0\0de\0Schl\0na\xC3\xAFve", 18, "naïve"},
        {"iTXt", "k\0\1\0\0\0packed", 12, NULL},
        {"iTXt", "k\0\0", 3, NULL},
        {"iTXt", "k\0\0\0lang", 8, NULL},
        {"iTXt", "k", 1, NULL},
        {"zTXt", "k\0\0packed", 9, NULL},
    };
    Surface surface = surface_make(2, 2);
    for (size_t index = 0; index < sizeof cases / sizeof *cases; index++) {
        size_t size;
        unsigned char *plain = encode(&surface, NULL, 0, &size);
        unsigned char *bytes =
            with_chunk(plain, &size, cases[index].type, cases[index].data, cases[index].length);
        PictureTexts read;
        Error error;
        assert_true(picture_texts_read(bytes, size, &read, &error));
        const char *text = picture_texts_find(&read, "k");
        assert_int_equal(text != NULL, cases[index].expected != NULL);
        if (text) assert_string_equal(text, cases[index].expected);
        picture_texts_free(&read);
        free(bytes);
        free(plain);
    }
    free(surface.bytes);
}

/* A copy of exactly the right size, so that the sanitizers see a step past its end. */
static bool reads(const unsigned char *bytes, size_t size) {
    unsigned char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    PictureTexts read;
    Error error = {0};
    bool good = picture_texts_read(copy, size, &read, &error);
    if (!good) assert_true(error.text[0] != '\0');
    if (good) picture_texts_free(&read);
    free(copy);
    return good;
}

static void damage_is_noticed(void **state) {
    (void)state;
    Surface surface = surface_make(9, 9);
    size_t size;
    unsigned char *bytes = encode(&surface, texts, 3, &size);
    assert_true(reads(bytes, size));
    for (size_t length = 0; length < size; length++)
        assert_false(reads(bytes, length));
    for (size_t at = 0; at < size; at++) {
        bytes[at] ^= 0x41;
        assert_false(reads(bytes, size));
        bytes[at] ^= 0x41;
    }
    free(bytes);
    free(surface.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pixels_come_back),        cmocka_unit_test(drawings_come_back),
        cmocka_unit_test(drawings_are_small),      cmocka_unit_test(texts_come_back),
        cmocka_unit_test(same_picture_same_bytes), cmocka_unit_test(bad_keywords_are_refused),
        cmocka_unit_test(foreign_texts),           cmocka_unit_test(damage_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
