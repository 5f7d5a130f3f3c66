/* `headscope check` under libFuzzer: dumps of any sizes that the bytes choose, through the reader
 * and the doctor. */
#include "tests/fuzz/helper_dump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    random_dump(data, size);
    return 0;
}
