/* Files of other programs under libFuzzer: the input as it is, and as the npy behind a header whose
 * length fits it, which the fuzzer would hardly find. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/arrays.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_array(const Array *array) {
    char shape[ARRAYS_SHAPE_TEXT];
    double sum = 0;
    arrays_shape_text(array, shape);
    if (!array->name || !array_type_name(array->type)) abort();
    if (array->type == ARRAY_TEXT ? !array->text || array->numbers : array->text != NULL) abort();
    for (int64_t i = 0; array->numbers && i < array->count; i++)
        sum += array->numbers[i];
    if (array->text && strlen(array->text) > (size_t)1 << 20) abort();
    if (sum == 1234567.5) return; /* so that the numbers are read */
}

static void read_bytes(const uint8_t *data, size_t size) {
    Arrays arrays;
    Error error = {0};
    if (arrays_from_bytes(&arrays, "fuzz", data, size, 1 << 16, &error)) {
        for (int i = 0; i < arrays.count; i++)
            check_array(&arrays.arrays[i]);
        arrays_close(&arrays);
    } else if (!error.text[0] || strchr(error.text, '\n') || arrays.arrays) {
        abort();
    }
}

/* A Python literal up to the last brace, the numbers after it. */
static void read_with_length(const uint8_t *data, size_t size) {
    size_t length = size;
    while (length > 0 && data[length - 1] != '}')
        length--;
    uint8_t *bytes = malloc(size + 12);
    if (!bytes) return;
    memcpy(bytes, "\x93NUMPY\x03\x00", 8);
    for (int i = 0; i < 4; i++)
        bytes[8 + i] = (uint8_t)((uint64_t)length >> (8 * i) & 255);
    if (size) memcpy(bytes + 12, data, size);
    read_bytes(bytes, size + 12);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_bytes(data, size);
    if (size && data[0] == '{') read_with_length(data, size);
    return 0;
}
