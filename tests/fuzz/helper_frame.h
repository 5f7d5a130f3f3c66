/* What the fuzzers share: inputs behind a header whose length fits them, which they would hardly
 * find. */
#ifndef HEADSCOPE_TESTS_FUZZ_HELPER_FRAME_H
#define HEADSCOPE_TESTS_FUZZ_HELPER_FRAME_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HELPER __attribute__((unused)) static

/* A new copy of [*whole] bytes, of its own size, so that a read past its end is seen: `start`, then
 * the length of the header, which is the data up to the last brace, as a number of `digits` bytes,
 * the least first, then the data. NULL for lack of memory. */
HELPER uint8_t *frame(const char *start, size_t start_size, size_t digits, const uint8_t *data,
                      size_t size, size_t *whole) {
    size_t length = size;
    while (length > 0 && data[length - 1] != '}')
        length--;
    *whole = start_size + digits + size;
    uint8_t *bytes = malloc(*whole);
    if (!bytes) return NULL;
    memcpy(bytes, start, start_size);
    for (size_t i = 0; i < digits; i++)
        bytes[start_size + i] = (uint8_t)((uint64_t)length >> (8 * i) & 255);
    if (size) memcpy(bytes + start_size + digits, data, size);
    return bytes;
}

/* As an .npy of version 3, and as safetensors. */
HELPER uint8_t *frame_npy(const uint8_t *data, size_t size, size_t *whole) {
    return frame("\x93NUMPY\x03\x00", 8, 4, data, size, whole);
}

HELPER uint8_t *frame_safetensors(const uint8_t *data, size_t size, size_t *whole) {
    return frame("", 0, 8, data, size, whole);
}

#endif
