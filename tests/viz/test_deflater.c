#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "viz/deflater.h"
#include "viz/huffman.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { ROOM = 1 << 23 };

/* What goes into a stream, and so must come out of it. */
typedef struct Told {
    Deflater deflater;
    unsigned char *bytes; /* [ROOM] */
    size_t size;
} Told;

static Told told_begin(void) {
    Told told = {.bytes = malloc(ROOM)};
    assert_non_null(told.bytes);
    assert_true(deflater_begin(&told.deflater));
    return told;
}

static void tell_literal(Told *told, unsigned char byte) {
    assert_true(told->size < ROOM);
    told->bytes[told->size++] = byte;
    deflater_literal(&told->deflater, byte);
}

static void tell_run(Told *told, size_t length, size_t distance) {
    assert_true(distance <= told->size && told->size + length <= ROOM);
    for (size_t i = 0; i < length; i++, told->size++)
        told->bytes[told->size] = told->bytes[told->size - distance];
    deflater_run(&told->deflater, length, (unsigned)distance);
}

/* With the end that is to be written behind them. */
static void assert_inflates(const unsigned char *bytes, size_t size, const Told *told) {
    unsigned char *out = malloc(told->size + 1);
    unsigned char *whole = calloc(size + DEFLATER_END_BYTES, 1);
    assert_non_null(out);
    assert_non_null(whole);
    memcpy(whole, bytes, size);
    whole[size] = DEFLATER_END;
    z_stream stream = {.next_in = whole,
                       .avail_in = (uInt)size + DEFLATER_END_BYTES,
                       .next_out = out,
                       .avail_out = (uInt)told->size + 1};
    assert_int_equal(inflateInit2(&stream, -MAX_WBITS), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(stream.avail_in, 0);
    assert_int_equal(stream.total_out, told->size);
    assert_memory_equal(out, told->bytes, told->size);
    inflateEnd(&stream);
    free(out);
    free(whole);
}

static void told_end(Told *told) {
    deflater_flush(&told->deflater);
    assert_false(told->deflater.failed);
    assert_inflates(told->deflater.bytes, told->deflater.size, told);
    deflater_free(&told->deflater);
    free(told->bytes);
}

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525U + 1013904223U;
    return *state >> 8;
}

static void small_streams(void **state) {
    (void)state;
    for (int count = 0; count < 4; count++) {
        Told told = told_begin();
        for (int i = 0; i < count; i++)
            tell_literal(&told, 'a');
        told_end(&told);
    }
}

static void every_length_and_distance(void **state) {
    (void)state;
    Told told = told_begin();
    uint32_t random = 1;
    for (int i = 0; i < DEFLATER_WINDOW; i++)
        tell_literal(&told, (unsigned char)next_random(&random));
    for (size_t length = DEFLATER_SHORTEST; length <= 3 * DEFLATER_LONGEST + 5; length++)
        tell_run(&told, length, 1 + next_random(&random) % DEFLATER_WINDOW);
    for (size_t distance = 1; distance <= DEFLATER_WINDOW; distance++)
        tell_run(&told, DEFLATER_SHORTEST, distance);
    told_end(&told);
}

/* Stretches of different kinds, so that blocks end at all sorts of places. */
static void many_blocks(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 20; seed++) {
        Told told = told_begin();
        uint32_t random = seed;
        tell_literal(&told, 0);
        for (int stretch = 0; stretch < 12; stretch++) {
            uint32_t kinds = 1 + next_random(&random) % 256, share = next_random(&random) % 100;
            for (uint32_t count = next_random(&random) % 6000; count > 0; count--) {
                uint32_t value = next_random(&random);
                size_t farthest = told.size < DEFLATER_WINDOW ? told.size : DEFLATER_WINDOW;
                if (value % 100 >= share)
                    tell_literal(&told, (unsigned char)(value / 100 % kinds));
                else
                    tell_run(&told, DEFLATER_SHORTEST + value / 100 % 40, 1 + value % farthest);
            }
        }
        told_end(&told);
    }
}

/* A part that is not the last ends at a whole byte: the next one follows. */
static void parts_make_a_stream(void **state) {
    (void)state;
    for (int cut = 0; cut < 40; cut++) {
        Told told = told_begin();
        Deflater next;
        assert_true(deflater_begin(&next));
        for (int i = 0; i < cut; i++)
            tell_literal(&told, (unsigned char)(i * i));
        deflater_flush(&told.deflater);
        for (int i = 0; i < 40; i++) {
            told.bytes[told.size++] = (unsigned char)i;
            deflater_literal(&next, (unsigned char)i);
        }
        deflater_flush(&next);
        unsigned char bytes[4096];
        size_t size = told.deflater.size;
        assert_true(size + next.size <= sizeof bytes);
        memcpy(bytes, told.deflater.bytes, size);
        memcpy(bytes + size, next.bytes, next.size);
        assert_inflates(bytes, size + next.size, &told);
        deflater_free(&next);
        deflater_free(&told.deflater);
        free(told.bytes);
    }
}

/* Kraft's sum is 1: no code is missing, none begins another. */
static void assert_whole(const Huffman *huffman, int count, int longest) {
    unsigned sum = 0;
    for (int symbol = 0; symbol < count; symbol++) {
        assert_in_range(huffman->lengths[symbol], 0, longest);
        if (huffman->lengths[symbol]) sum += 1U << (longest - huffman->lengths[symbol]);
    }
    assert_int_equal(sum, 1U << longest);
}

/* Numbers of Fibonacci make the deepest trees. */
static void codes_are_short_enough(void **state) {
    (void)state;
    for (int longest = 7; longest <= 15; longest++) {
        unsigned frequencies[40] = {1, 1};
        for (int symbol = 2; symbol < 40; symbol++)
            frequencies[symbol] = frequencies[symbol - 1] + frequencies[symbol - 2];
        Huffman huffman;
        huffman_make(&huffman, frequencies, 40, longest);
        assert_whole(&huffman, 40, longest);
        assert_true(huffman.lengths[39] <= huffman.lengths[0]);
    }
}

static void often_is_short(void **state) {
    (void)state;
    unsigned frequencies[] = {0, 1, 2, 4, 8, 8, 0};
    static const uint8_t expected[] = {0, 4, 4, 3, 2, 1, 0};
    Huffman huffman;
    huffman_make(&huffman, frequencies, 7, 15);
    unsigned bits = 0, best = 0;
    for (int symbol = 0; symbol < 7; symbol++) {
        bits += frequencies[symbol] * huffman.lengths[symbol];
        best += frequencies[symbol] * expected[symbol];
    }
    assert_int_equal(bits, best);
    assert_whole(&huffman, 7, 15);
    unsigned alone[] = {0, 5};
    huffman_make(&huffman, alone, 2, 15);
    assert_int_equal(huffman.lengths[0], 0);
    assert_int_equal(huffman.lengths[1], 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_streams),
        cmocka_unit_test(every_length_and_distance),
        cmocka_unit_test(many_blocks),
        cmocka_unit_test(parts_make_a_stream),
        cmocka_unit_test(codes_are_short_enough),
        cmocka_unit_test(often_is_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
