/* Files of other programs under libFuzzer: the input as it is, and as the npy behind a header whose
 * length fits it, which the fuzzer would hardly find. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/arrays/arrays.h"
#include "tests/fuzz/helper_frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_array(const Array *array) {
    char shape[SHAPE_TEXT];
    double sum = 0;
    array_shape_text(array, shape);
    if (!array->name) abort();
    if (array->is_text ? !array->text || array->numbers : array->text != NULL) abort();
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

static void read_with_length(const uint8_t *data, size_t size) {
    size_t whole;
    uint8_t *bytes = frame_npy(data, size, &whole);
    if (bytes) read_bytes(bytes, whole);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_bytes(data, size);
    if (size && data[0] == '{') read_with_length(data, size);
    return 0;
}
